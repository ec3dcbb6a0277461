/** Nodes that stand beside the conversation: what starts it from outside, and what is told of it afterwards. */
import { choice, DETACHED, flag, limits, nodeName, nodeSpec, property, shownWhen, type PropertySpec } from './spec';

const required = (name: string, displayName: string, description: string, rest = {}): PropertySpec =>
  property(name, 'string', displayName, description, { required: true, ...rest });

export const trigger = nodeSpec({
  name: 'trigger',
  display_name: 'API Trigger',
  description: 'Lets another program start a call of this agent by its path.',
  category: 'trigger',
  icon: 'Webhook',
  properties: [
    nodeName('API Trigger'),
    flag('enabled', 'Enabled', 'Calls are started only while it is enabled.', true),
    property('trigger_path', 'string', 'Path', 'Last part of the URL; left empty, one is made.', {
      max_length: 36,
      pattern: '^[A-Za-z0-9_-]+$',
    }),
  ],
  examples: [{ name: 'Callback', description: null, data: { name: 'API Trigger', trigger_path: 'callback' } }],
  graph_constraints: limits({ min_incoming: 0, max_incoming: 0, max_instances: 1 }),
});

export const webhook = nodeSpec({
  name: 'webhook',
  display_name: 'Webhook',
  description: 'Sends what came of a call to a URL when the call is over.',
  category: 'integration',
  icon: 'Link2',
  properties: [
    nodeName('Webhook'),
    flag('enabled', 'Enabled', 'Nothing is sent while it is not.', true),
    choice(
      'http_method',
      'Method',
      'The HTTP method of the request.',
      [
        ['GET', 'GET'],
        ['POST', 'POST'],
        ['PUT', 'PUT'],
        ['PATCH', 'PATCH'],
        ['DELETE', 'DELETE'],
      ],
      { default: 'POST' },
    ),
    property('endpoint_url', 'url', 'URL', 'Where the request goes.', { placeholder: 'https://example.com/calls' }),
    property('credential_uuid', 'credential_ref', 'Credential', 'Sent with the request.'),
    property('custom_headers', 'fixed_collection', 'Headers', 'Sent with the request.', {
      properties: [required('key', 'Name', 'Name of the header.'), required('value', 'Value', 'Value of the header.')],
    }),
    property('payload_template', 'json', 'Body', 'The JSON that is sent; variables in double braces are filled in.', {
      default: {
        call_id: '{{workflow_run_id}}',
        first_name: '{{initial_context.first_name}}',
        rsvp: '{{gathered_context.rsvp}}',
        duration: '{{cost_info.call_duration_seconds}}',
        recording_url: '{{recording_url}}',
        user_recording_url: '{{user_recording_url}}',
        bot_recording_url: '{{bot_recording_url}}',
        transcript_url: '{{transcript_url}}',
      },
    }),
  ],
  examples: [
    {
      name: 'Report',
      description: null,
      data: { name: 'Webhook', http_method: 'POST', endpoint_url: 'https://example.com/calls' },
    },
  ],
  graph_constraints: limits(DETACHED),
});

const QA_PROMPT = `You review the transcript of a telephone call made by a voice agent.
Judge whether the agent reached the purpose of the call, kept to its instructions, and treated the person well.
Name what went wrong, with the sentence where it happened, and give a score from 0 (failed) to 10 (nothing to improve).`;

const whenOwnModel = { qa_use_workflow_llm: [false] };

export const qa = nodeSpec({
  name: 'qa',
  display_name: 'QA Analysis',
  description: 'Has a language model judge calls after they are over.',
  category: 'integration',
  icon: 'ClipboardCheck',
  properties: [
    nodeName('QA Analysis'),
    flag('qa_enabled', 'Enabled', 'No call is judged while it is not.', true),
    property('qa_system_prompt', 'string', 'Instructions', 'How calls are judged.', {
      default: QA_PROMPT,
      editor: 'textarea',
    }),
    property('qa_min_call_duration', 'number', 'Shortest call, seconds', 'Shorter calls are not judged.', {
      default: 15,
      min_value: 0,
    }),
    flag('qa_voicemail_calls', 'Voicemail too', 'Calls that reached a machine are judged too.', false),
    property('qa_sample_rate', 'number', 'Share of calls, percent', 'How many of the calls are judged.', {
      default: 100,
      min_value: 1,
      max_value: 100,
    }),
    flag('qa_use_workflow_llm', "The agent's model", 'The model that speaks also judges.', true),
    choice(
      'qa_provider',
      'Provider',
      'Whose model judges.',
      [
        ['openai', 'OpenAI'],
        ['azure', 'Azure OpenAI'],
        ['openrouter', 'OpenRouter'],
        ['anthropic', 'Anthropic'],
      ],
      shownWhen(whenOwnModel),
    ),
    property('qa_model', 'string', 'Model', 'The model that judges.', {
      default: 'default',
      ...shownWhen(whenOwnModel),
    }),
    property('qa_api_key', 'string', 'API key', 'Key for that model.', {
      editor: 'password',
      ...shownWhen(whenOwnModel),
    }),
    property('qa_endpoint', 'url', 'Endpoint', 'Address of the deployment.', {
      ...shownWhen({ ...whenOwnModel, qa_provider: ['azure'] }),
    }),
  ],
  examples: [{ name: 'Every tenth call', description: null, data: { name: 'QA Analysis', qa_sample_rate: 10 } }],
  graph_constraints: limits(DETACHED),
});

const whenCosts = shownWhen({ cost_calculation_enabled: [true] });
const rate = (name: string, displayName: string, most: number): PropertySpec =>
  property(name, 'number', displayName, 'In US dollars.', {
    min_value: 0,
    max_value: most,
    renderer_options: { layout: null, number_input: { fractional: true } },
    ...whenCosts,
  });

export const tuner = nodeSpec({
  name: 'tuner',
  display_name: 'Tuner',
  description: 'Sends calls to Tuner for observation.',
  category: 'integration',
  icon: 'Activity',
  properties: [
    nodeName('Tuner'),
    flag('tuner_enabled', 'Enabled', 'Nothing is sent while it is not.', true),
    required('tuner_agent_id', 'Agent id', 'The agent at Tuner.'),
    property('tuner_workspace_id', 'number', 'Workspace id', 'The workspace at Tuner.', {
      required: true,
      min_value: 1,
    }),
    required('tuner_api_key', 'API key', 'Key of the workspace.', { editor: 'password' }),
    flag('cost_calculation_enabled', 'Report costs', 'Costs are computed by the rates below and sent too.', false),
    rate('cost_llm_input_rate', 'Model input, per million tokens', 1000),
    rate('cost_llm_cached_input_rate', 'Cached model input, per million tokens', 1000),
    rate('cost_llm_output_rate', 'Model output, per million tokens', 1000),
    rate('cost_tts_rate', 'Speech, per 1000 characters', 100),
    rate('cost_stt_rate', 'Transcription, per minute', 100),
    rate('cost_telephony_rate', 'Telephony, per minute', 100),
  ],
  examples: [
    {
      name: 'Observed',
      description: null,
      data: { name: 'Tuner', tuner_agent_id: 'agent-1', tuner_workspace_id: 1, tuner_api_key: '<key>' },
    },
  ],
  graph_constraints: limits({ ...DETACHED, max_instances: 1 }),
});

export const noveum = nodeSpec({
  name: 'noveum',
  display_name: 'Noveum',
  description: 'Sends traces of calls to Noveum.',
  category: 'integration',
  icon: 'Activity',
  properties: [
    nodeName('Noveum'),
    flag('noveum_enabled', 'Enabled', 'Nothing is sent while it is not.', true),
    required('noveum_api_key', 'API key', 'Key of the project.', { editor: 'password' }),
    required('noveum_project', 'Project', 'The project at Noveum.'),
    property('noveum_environment', 'string', 'Environment', 'Under which traces are filed.', {
      default: 'production',
    }),
    flag('noveum_record_audio', 'With audio', 'The recording is sent too.', true),
  ],
  examples: [
    {
      name: 'Traced',
      description: null,
      data: { name: 'Noveum', noveum_api_key: '<key>', noveum_project: 'reminders' },
    },
  ],
  graph_constraints: limits({ ...DETACHED, max_instances: 1 }),
});

export const paygent = nodeSpec({
  name: 'paygent',
  display_name: 'Paygent',
  description: 'Reports calls to Paygent, which bills for them.',
  category: 'integration',
  icon: 'CreditCard',
  properties: [
    nodeName('Paygent'),
    flag('paygent_enabled', 'Enabled', 'Nothing is sent while it is not.', true),
    required('paygent_api_key', 'API key', 'Key of the account.', { editor: 'password' }),
    required('paygent_agent_id', 'Agent id', 'The agent at Paygent.'),
    required('paygent_customer_id', 'Customer id', 'Who is billed.'),
    required('paygent_indicator', 'Indicator', 'What is billed for.', { default: 'per-minute-call' }),
  ],
  examples: [
    {
      name: 'By the minute',
      description: null,
      data: {
        name: 'Paygent',
        paygent_api_key: '<key>',
        paygent_agent_id: 'agent-1',
        paygent_customer_id: 'customer-1',
        paygent_indicator: 'per-minute-call',
      },
    },
  ],
  graph_constraints: limits({ ...DETACHED, max_instances: 1 }),
});
