import { isLeft } from 'fp-ts/Either';
import { decode, type AnyCodec } from '../../../src/core/codec';
import { maxCallSeconds } from '../../../src/domain/agent/configurations';
import {
  AgentCreate,
  AgentFromTemplate,
  AgentStatusChange,
  AgentUpdate,
  VersionMetadata,
} from '../../../src/domain/agent/requests';

const outcome = (codec: AnyCodec, body: unknown) => {
  const decoded = decode(codec, body, ['body']);
  return isLeft(decoded) ? decoded.left.map((f) => [f.type, f.loc.slice(1).join('.')]) : decoded.right;
};

test('a template needs two texts; the call is outbound unless said otherwise', () => {
  expect(outcome(AgentFromTemplate, { use_case: 'u', activity_description: 'a' })).toEqual({
    call_type: 'outbound',
    use_case: 'u',
    activity_description: 'a',
  });
  expect(outcome(AgentFromTemplate, { call_type: 'both' })).toEqual([
    ['enum', 'call_type'],
    ['missing', 'use_case'],
    ['missing', 'activity_description'],
  ]);
});

test('an agent is created of a name and an object', () => {
  expect(outcome(AgentCreate, { name: '', workflow_definition: {} })).toEqual({ name: '', workflow_definition: {} });
  expect(outcome(AgentCreate, { workflow_definition: [] })).toEqual([
    ['missing', 'name'],
    ['dict_type', 'workflow_definition'],
  ]);
});

test('a status is active or archived', () => {
  expect(outcome(AgentStatusChange, { status: 'archived' })).toEqual({ status: 'archived' });
  expect(outcome(AgentStatusChange, { status: 'Archived' })).toEqual([['enum', 'status']]);
});

test('configurations are kept as they were sent, unknown keys too', () => {
  const workflow_configurations = {
    max_call_duration: 600,
    ambient_noise_configuration: { enabled: true, file: 'rain' },
    call_dispositions: [{ code: 'SALE', description: 'sold' }],
    something_new: { a: [1] },
  };
  expect(outcome(AgentUpdate, { workflow_configurations })).toMatchObject({ workflow_configurations });
});

test('configurations are checked where they are known, all at once', () => {
  expect(
    outcome(AgentUpdate, {
      workflow_configurations: {
        max_call_duration: 1201,
        turn_start_strategy: 'guess',
        turn_start_min_words: 0,
        text_chat_inactivity_timeout_seconds: 59,
        context_compaction_enabled: 'yes',
        ambient_noise_configuration: { volume: 'loud' },
        call_dispositions: [{ code: '1st', description: '' }],
        external_pbx_field_mappings: [{ context_path: '', destination_field: '_x' }],
      },
    }),
  ).toEqual([
    ['float_parsing', 'workflow_configurations.ambient_noise_configuration.volume'],
    ['less_than_equal', 'workflow_configurations.max_call_duration'],
    ['enum', 'workflow_configurations.turn_start_strategy'],
    ['greater_than_equal', 'workflow_configurations.turn_start_min_words'],
    ['bool_parsing', 'workflow_configurations.context_compaction_enabled'],
    ['greater_than_equal', 'workflow_configurations.text_chat_inactivity_timeout_seconds'],
    ['string_too_short', 'workflow_configurations.external_pbx_field_mappings.0.context_path'],
    ['string_pattern_mismatch', 'workflow_configurations.external_pbx_field_mappings.0.destination_field'],
    ['string_pattern_mismatch', 'workflow_configurations.call_dispositions.0.code'],
    ['string_too_short', 'workflow_configurations.call_dispositions.0.description'],
  ]);
});

test('a version is described by two fields and no others', () => {
  expect(outcome(VersionMetadata, { version_name: null })).toEqual({
    version_name: null,
    change_description: undefined,
  });
  expect(outcome(VersionMetadata, { version_name: '', change_description: 'x'.repeat(501), status: 'draft' })).toEqual([
    ['string_too_short', 'version_name'],
    ['string_too_long', 'change_description'],
    ['extra_forbidden', 'status'],
  ]);
});

test('a configuration tells how long a call may last', () => {
  expect([maxCallSeconds({}), maxCallSeconds({ max_call_duration: 60 })]).toEqual([300, 60]);
});
