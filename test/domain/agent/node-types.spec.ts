import { nodeType, nodeTypes, type PropertySpec } from '../../../src/domain/agent/node-types';

const named = (name: string) => {
  const spec = nodeType(name);
  if (spec === undefined) throw new Error(`no type ${name}`);
  return spec;
};
const words = (properties: readonly PropertySpec[]): string =>
  properties.map((p) => `${p.name}${p.required ? '*' : ''}:${p.type}`).join(' ');

const EXTRACTION = 'extraction_enabled:boolean extraction_prompt:string extraction_variables:fixed_collection';
const REFS = 'tool_uuids:tool_refs document_uuids:document_refs';

test('the catalogue holds every type with its properties in their order', () => {
  expect(Object.fromEntries(nodeTypes.map((spec) => [spec.name, words(spec.properties)]))).toEqual({
    agentNode: `name*:string prompt*:mention_textarea allow_interrupt:boolean add_global_prompt:boolean ${EXTRACTION} ${REFS}`,
    endCall: `name*:string prompt*:mention_textarea add_global_prompt:boolean ${EXTRACTION}`,
    globalNode: 'name*:string prompt*:mention_textarea',
    noveum:
      'name*:string noveum_enabled:boolean noveum_api_key*:string noveum_project*:string noveum_environment:string noveum_record_audio:boolean',
    paygent:
      'name*:string paygent_enabled:boolean paygent_api_key*:string paygent_agent_id*:string paygent_customer_id*:string paygent_indicator*:string',
    qa: 'name*:string qa_enabled:boolean qa_system_prompt:string qa_min_call_duration:number qa_voicemail_calls:boolean qa_sample_rate:number qa_use_workflow_llm:boolean qa_provider:options qa_model:string qa_api_key:string qa_endpoint:url',
    startCall: `name*:string greeting_type:options greeting:string greeting_recording_id:recording_ref prompt*:mention_textarea allow_interrupt:boolean add_global_prompt:boolean delayed_start:boolean delayed_start_duration:number ${EXTRACTION} ${REFS} pre_call_fetch_mode:options pre_call_fetch_url:url pre_call_fetch_credential_uuid:credential_ref`,
    trigger: 'name*:string enabled:boolean trigger_path:string',
    tuner:
      'name*:string tuner_enabled:boolean tuner_agent_id*:string tuner_workspace_id*:number tuner_api_key*:string cost_calculation_enabled:boolean cost_llm_input_rate:number cost_llm_cached_input_rate:number cost_llm_output_rate:number cost_tts_rate:number cost_stt_rate:number cost_telephony_rate:number',
    webhook:
      'name*:string enabled:boolean http_method:options endpoint_url:url credential_uuid:credential_ref custom_headers:fixed_collection payload_template:json',
  });
});

test('types are sorted by name, described, and versioned', () => {
  const names = nodeTypes.map((spec) => spec.name);
  expect(names).toEqual([...names].sort());
  for (const spec of nodeTypes) {
    expect(spec.description).not.toBe('');
    expect(spec.version).toBe('1.0.0');
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const p of spec.properties) expect(p.description).not.toBe('');
  }
});

test('defaults are those that editors know', () => {
  const value = (type: string, name: string) => named(type).properties.find((p) => p.name === name)?.default;
  expect(value('agentNode', 'name')).toBe('Agent');
  expect(value('agentNode', 'allow_interrupt')).toBe(true);
  expect(value('startCall', 'allow_interrupt')).toBe(false);
  expect(value('startCall', 'delayed_start_duration')).toBe(2);
  expect(value('endCall', 'add_global_prompt')).toBe(false);
  expect(value('webhook', 'http_method')).toBe('POST');
  expect(value('qa', 'qa_sample_rate')).toBe(100);
  expect(value('paygent', 'paygent_indicator')).toBe('per-minute-call');
  expect(value('globalNode', 'prompt')).not.toBe('');
});

test('constraints say what may be joined to what', () => {
  const limits = (type: string) => {
    const g = named(type).graph_constraints;
    return [g?.min_incoming, g?.max_incoming, g?.min_outgoing, g?.max_outgoing, g?.min_instances, g?.max_instances];
  };
  expect(limits('startCall')).toEqual([0, 0, null, null, 1, 1]);
  expect(limits('agentNode')).toEqual([1, null, null, null, null, null]);
  expect(limits('endCall')).toEqual([1, null, 0, 0, null, null]);
  expect(limits('globalNode')).toEqual([0, 0, 0, 0, null, 1]);
  expect(limits('trigger')).toEqual([0, 0, null, null, null, 1]);
  expect(limits('webhook')).toEqual([0, 0, 0, 0, null, null]);
});
