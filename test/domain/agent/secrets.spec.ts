import type { Json } from '../../../src/core/event';
import { isSealed, type Sealed } from '../../../src/core/event-types';
import { maskAll } from '../../../src/core/mask';
import type { VersionContent } from '../../../src/domain/agent/events';
import { mapSecrets, restoreSecrets, sealSecrets } from '../../../src/domain/agent/secrets';
import { contentWith, node, withMore } from './fixtures';

const content = contentWith(
  withMore([
    node('q', 'qa', { qa_api_key: 'sk-question', qa_model: 'default' }),
    node('t', 'tuner', { tuner_api_key: 'tuner-key-1', tuner_agent_id: 'a' }),
    node('n', 'noveum', { noveum_api_key: '' }),
    node('p', 'paygent', { paygent_api_key: null }),
  ]),
  {
    workflow_configurations: {
      api_key: 'not a model key',
      model_overrides: {
        llm: { api_key: 'llm-key-1', model: 'm' },
        tts: { aws_access_key: 'AKIA1234', aws_secret_key: 'secret-key', voice: 'v' },
        stt: { credentials: { type: 'service', private: 'json-key' } },
        other: { options: { api_key: 'other-key' } },
      },
      model_configuration_v2_override: {
        providers: [{ name: 'x', settings: { api_key: 'deep-key' } }],
        credentials: '',
      },
    },
  },
);

const found = (): Record<string, Json> => {
  const secrets: Record<string, Json> = {};
  mapSecrets(content, (value, path) => {
    secrets[path] = value;
    return value;
  });
  return secrets;
};

test('secrets are found in nodes, in model overrides, and anywhere in the second kind of overrides', () => {
  expect(found()).toEqual({
    'q.qa_api_key': 'sk-question',
    't.tuner_api_key': 'tuner-key-1',
    'model_overrides.llm.api_key': 'llm-key-1',
    'model_overrides.tts.aws_access_key': 'AKIA1234',
    'model_overrides.tts.aws_secret_key': 'secret-key',
    'model_overrides.stt.credentials': { type: 'service', private: 'json-key' },
    'model_overrides.other.options.api_key': 'other-key',
    'model_configuration_v2_override.providers.0.settings.api_key': 'deep-key',
  });
});

const seal = (plain: Json): Promise<Sealed> =>
  Promise.resolve({
    $sealed: Buffer.from(JSON.stringify(plain)).toString('base64'),
    key: 'org/1/1',
    field: 'agent.secret',
  });

test('sealed, no secret is readable and everything else is as it was', async () => {
  const sealed = await sealSecrets(content, seal);
  const text = JSON.stringify(sealed);
  for (const secret of ['sk-question', 'tuner-key-1', 'llm-key-1', 'AKIA1234', 'secret-key', 'json-key', 'deep-key'])
    expect(text).not.toContain(secret);
  expect(text).toContain('not a model key');
  expect(text).not.toContain('other-key');
  const opened = mapSecrets(sealed, (value) => {
    if (!isSealed(value)) throw new Error('not sealed');
    return JSON.parse(Buffer.from(value.$sealed, 'base64').toString()) as Json;
  });
  expect(opened).toEqual(content);
});

test('sealing twice seals once', async () => {
  const once = await sealSecrets(content, seal);
  let more = 0;
  const twice = await sealSecrets(once, (plain) => {
    more++;
    return seal(plain);
  });
  expect(more).toBe(0);
  expect(twice).toEqual(once);
});

const masked = (content: VersionContent): VersionContent => mapSecrets(content, maskAll);

test('masked, the last four characters are left', () => {
  const text = JSON.stringify(masked(content));
  expect(text).toContain('"qa_api_key":"*******tion"');
  expect(text).toContain('"credentials":{"type":"***vice","private":"****-key"}');
});

test('a mask that comes back, and the secret itself, mean what is stored, by node and by place', async () => {
  const stored = await sealSecrets(content, seal);
  expect(restoreSecrets(masked(content), stored, content)).toEqual(stored);
  expect(restoreSecrets(content, stored, content)).toEqual(stored);
});

test('a new secret is taken as it is, and a mask under another node is no mask', async () => {
  const changed = contentWith(
    withMore([node('q', 'qa', { qa_api_key: 'new-key' }), node('other', 'qa', { qa_api_key: '*******tion' })]),
  );
  expect(restoreSecrets(changed, await sealSecrets(content, seal), content)).toEqual(changed);
});

test('nodes of one id, which a draft may hold, keep each their own secret', async () => {
  const twins = contentWith(
    withMore([node('q', 'qa', { qa_api_key: 'first-one' }), node('q', 'qa', { qa_api_key: 'second-1' })]),
  );
  const stored = await sealSecrets(twins, seal);
  expect(restoreSecrets(masked(twins), stored, twins)).toEqual(stored);
});
