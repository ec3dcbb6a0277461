/** Nodes that a call goes through, and the global one. */
import { choice, DETACHED, flag, limits, nodeName, nodeSpec, property, shownWhen, type PropertySpec } from './spec';

const prompt = (description: string, value: string | null = null): PropertySpec =>
  property('prompt', 'mention_textarea', 'Prompt', description, {
    default: value,
    required: true,
    editor: 'textarea',
    llm_hint: 'Plain instructions; {{ name }} stands for a template variable, {{ name | default }} gives it a default.',
  });

const allowInterrupt = (value: boolean): PropertySpec =>
  flag('allow_interrupt', 'Allow interruption', 'The caller may speak over the agent.', value);
const addGlobalPrompt = (value: boolean): PropertySpec =>
  flag('add_global_prompt', 'Add the global prompt', "The global node's prompt goes before this one.", value);

const whenExtracting = shownWhen({ extraction_enabled: [true] });
const extraction: readonly PropertySpec[] = [
  flag(
    'extraction_enabled',
    'Extract variables',
    'Values are taken from the conversation when the node is left.',
    false,
  ),
  property('extraction_prompt', 'string', 'Extraction prompt', 'What to look for in the conversation.', {
    editor: 'textarea',
    ...whenExtracting,
  }),
  property('extraction_variables', 'fixed_collection', 'Variables', 'The values to take from the conversation.', {
    ...whenExtracting,
    properties: [
      property('name', 'string', 'Name', 'Under which the value is stored.', { required: true, min_length: 1 }),
      choice(
        'type',
        'Type',
        'What kind of value it is.',
        [
          ['string', 'Text'],
          ['number', 'Number'],
          ['boolean', 'Yes or no'],
        ],
        { required: true, default: 'string' },
      ),
      property('prompt', 'string', 'Hint', 'How to recognise the value.'),
    ],
  }),
];

const tools = property('tool_uuids', 'tool_refs', 'Tools', 'Tools that the agent may use here.');
const documents = property(
  'document_uuids',
  'document_refs',
  'Documents',
  'Documents that the agent may look into here.',
);

const preCallFetchWhen = shownWhen({ pre_call_fetch_mode: ['always', 'inbound', 'outbound'] });

export const startCall = nodeSpec({
  name: 'startCall',
  display_name: 'Start Call',
  description: 'Where every call begins: the greeting and the first instructions.',
  llm_hint: 'Exactly one per definition; no edge leads to it.',
  category: 'call_node',
  icon: 'Play',
  properties: [
    nodeName('Start Call'),
    choice(
      'greeting_type',
      'Greeting',
      'Whether the greeting is spoken or a recording is played.',
      [
        ['text', 'Text'],
        ['audio', 'Recording'],
      ],
      { default: 'text' },
    ),
    property('greeting', 'string', 'Greeting text', 'Spoken first; left empty, the agent begins by its prompt.', {
      editor: 'textarea',
      ...shownWhen({ greeting_type: ['text'] }),
    }),
    property('greeting_recording_id', 'recording_ref', 'Greeting recording', 'Played first.', {
      ...shownWhen({ greeting_type: ['audio'] }),
    }),
    prompt('How the agent opens the conversation.'),
    allowInterrupt(false),
    addGlobalPrompt(true),
    flag('delayed_start', 'Wait before speaking', 'The agent waits a moment after the call is answered.', false),
    property('delayed_start_duration', 'number', 'Seconds to wait', 'How long the agent waits.', {
      default: 2.0,
      min_value: 0.1,
      max_value: 10,
      renderer_options: { layout: null, number_input: { fractional: true } },
      ...shownWhen({ delayed_start: [true] }),
    }),
    ...extraction,
    tools,
    documents,
    choice(
      'pre_call_fetch_mode',
      'Fetch before the call',
      'For which calls variables are fetched from a URL before the agent speaks.',
      [
        ['disabled', 'Never'],
        ['always', 'For every call'],
        ['inbound', 'For inbound calls'],
        ['outbound', 'For outbound calls'],
      ],
      { default: 'disabled' },
    ),
    property('pre_call_fetch_url', 'url', 'URL', 'Asked for variables before the agent speaks.', preCallFetchWhen),
    property(
      'pre_call_fetch_credential_uuid',
      'credential_ref',
      'Credential',
      'Sent with that request.',
      preCallFetchWhen,
    ),
  ],
  examples: [
    {
      name: 'Reminder',
      description: 'Greets by name.',
      data: {
        name: 'Start Call',
        greeting_type: 'text',
        greeting: 'Hello {{ first_name | there }}, this is the clinic.',
        prompt: 'Say that you call about the appointment and ask whether it still suits.',
      },
    },
  ],
  graph_constraints: limits({ min_incoming: 0, max_incoming: 0, min_instances: 1, max_instances: 1 }),
});

export const agentNode = nodeSpec({
  name: 'agentNode',
  display_name: 'Agent Node',
  description: 'A part of the conversation with instructions of its own.',
  llm_hint: 'Every agent node is reached by at least one edge.',
  category: 'call_node',
  icon: 'Headset',
  properties: [
    nodeName('Agent'),
    prompt('What the agent does in this part of the conversation.'),
    allowInterrupt(true),
    addGlobalPrompt(true),
    ...extraction,
    tools,
    documents,
  ],
  examples: [
    {
      name: 'Questions',
      description: null,
      data: { name: 'Questions', prompt: 'Ask the three questions one after the other and note the answers.' },
    },
  ],
  graph_constraints: limits({ min_incoming: 1 }),
});

export const endCall = nodeSpec({
  name: 'endCall',
  display_name: 'End Call',
  description: 'Says goodbye and hangs up.',
  llm_hint: 'No edge leaves it.',
  category: 'call_node',
  icon: 'OctagonX',
  properties: [nodeName('End Call'), prompt('How the agent says goodbye.'), addGlobalPrompt(false), ...extraction],
  examples: [
    { name: 'Goodbye', description: null, data: { name: 'End Call', prompt: 'Thank the person and say goodbye.' } },
  ],
  graph_constraints: limits({ min_incoming: 1, min_outgoing: 0, max_outgoing: 0 }),
});

const GLOBAL_PROMPT = `You are a voice agent on a telephone call.
Speak in short, plain sentences, the way people do on the telephone. Never use lists, headings or symbols.
Ask one thing at a time and wait for the answer. If you did not understand, ask again in other words.
Stay with the purpose of the call. If you do not know something, say so.
Be friendly and calm. If the person wants to end the call, say goodbye and end it.`;

export const globalNode = nodeSpec({
  name: 'globalNode',
  display_name: 'Global Node',
  description: 'Instructions that hold for the whole call; they go before the prompts of the nodes that ask for it.',
  category: 'global_node',
  icon: 'Globe',
  properties: [nodeName('Global Node'), prompt('What holds throughout the call.', GLOBAL_PROMPT)],
  examples: [
    {
      name: 'Tone',
      description: null,
      data: { name: 'Global Node', prompt: 'You are calm and friendly. Speak in short sentences.' },
    },
  ],
  graph_constraints: limits({ ...DETACHED, max_instances: 1 }),
});
