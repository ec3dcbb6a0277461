/** PUT is repeatable: what an agent holds already, sent again by whoever wrote it or whoever read it, changes nothing. */
import fc from 'fast-check';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { makeAgent } from './furnish';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

const SECRETS = ['sk-1234567', 'tuner-abcdef', 'llm-abcdef', 'account-abcdef'];
const [qa = '', tuner = '', llm = '', account = ''] = SECRETS;
const id = fc.constantFrom('a', 'b', 'c');
const some = { requiredKeys: [] };
const data = fc.record(
  {
    name: fc.constantFrom('N', 'M'),
    prompt: fc.constantFrom('Say {{x}}.', ''),
    qa_api_key: fc.constantFrom(qa, '', null, 'xy'),
    tuner_api_key: fc.constant(tuner),
    trigger_path: fc.constantFrom('', null, 'mine'),
    unknown: fc.jsonValue({ maxDepth: 2 }),
  },
  some,
);
const type = fc.constantFrom('startCall', 'agentNode', 'endCall', 'qa', 'tuner', 'trigger', 'no such type');
const definition = fc.record({
  nodes: fc.array(fc.record({ id, type, data }), { maxLength: 4 }),
  edges: fc.array(fc.record({ source: id, target: id, data: fc.record({ label: fc.string({ maxLength: 3 }) }) }), {
    maxLength: 2,
  }),
});
const configurations = fc.record(
  {
    max_call_duration: fc.integer({ min: 1, max: 1200 }),
    model_overrides: fc.record(
      {
        llm: fc.record(
          { api_key: fc.constantFrom(llm, ''), credentials: fc.constantFrom({ key: account }, null) },
          some,
        ),
      },
      some,
    ),
    model_configuration_v2_override: fc.array(fc.record({ api_key: fc.constant(llm) }), { maxLength: 2 }),
    unknown: fc.jsonValue({ maxDepth: 2 }),
  },
  some,
);
const body = fc.record({
  workflow_definition: fc.option(definition),
  workflow_configurations: fc.option(configurations),
  template_context_variables: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))),
});

it('an agent saved again, as it was sent or as it was read, stays as it is and shows no secret', async () => {
  const path = `/api/v1/workflow/${await makeAgent(client)}`;
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const first = await client.put(path, sent);
      expect([200, 422]).toContain(first.status);
      if (first.status !== 200) return;
      const { workflow_definition, workflow_configurations, template_context_variables } = first.body;
      const read = { workflow_definition, workflow_configurations, template_context_variables };
      for (const same of [sent, read]) {
        const again = await client.put(path, same);
        expect([again.status, again.body, again.headers.get('etag')]).toEqual([
          200,
          first.body,
          first.headers.get('etag'),
        ]);
      }
      expect(SECRETS.filter((secret) => first.text.includes(secret))).toEqual([]);
      compared += 1;
    }),
    { numRuns: 120 },
  );
  expect(compared).toBeGreaterThan(20);
});
