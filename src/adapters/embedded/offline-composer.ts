/** Writes a first agent without a language model: start, conversation, end, worded from the two texts. The same texts give the same agent. */
import { right } from 'fp-ts/Either';
import { definitionOf } from '../../engine/agent-draft';
import type { LanguageModel, TemplateRequest } from '../../ports/language-model';

export const OFFLINE_COMPOSER = 'offline-composer';

/** Longest name made from a use case, characters. */
const NAME_LENGTH = 80;

/** The text in one line, without double braces: it must not turn into template variables that no contact list has. */
const plain = (text: string): string =>
  text
    .replace(/\{{2,}|\}{2,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const sentence = (text: string): string => (text === '' || /[.!?…]$/.test(text) ? text : `${text}.`);

const nameOf = ({ useCase, callType }: TemplateRequest): string => {
  // Of long text only what a name can hold: a character has at most two units.
  const characters = [...(plain(useCase) || 'Agent').slice(0, 2 * NAME_LENGTH + 2)];
  const short =
    characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH - 1).join('')}…` : characters.join('');
  return `${short} - ${callType}`;
};

const opening = (callType: TemplateRequest['callType'], purpose: string): string =>
  callType === 'outbound'
    ? `You are calling somebody. Greet them, say who you are, and say briefly why you call: ${purpose} Ask whether this is a good moment.`
    : `Somebody is calling you. Greet them, say who you are, and ask how you can help. What callers usually want: ${purpose}`;

export const offlineComposer = (): LanguageModel => ({
  compose: (request) => {
    const purpose = sentence(plain(request.useCase)) || 'the matter at hand.';
    const task = sentence(plain(request.activityDescription)) || purpose;
    const definition = definitionOf({
      nodes: [
        {
          id: 'start',
          type: 'startCall',
          name: 'Start Call',
          prompt: opening(request.callType, purpose),
          greeting: null,
        },
        {
          id: 'conversation',
          type: 'agentNode',
          name: 'Conversation',
          prompt: `${task} Ask one thing at a time, in short sentences, and wait for each answer. If you did not understand, ask again in other words.`,
          greeting: null,
        },
        {
          id: 'end',
          type: 'endCall',
          name: 'End Call',
          prompt: 'Say in one sentence what was agreed, thank the person, and say goodbye.',
          greeting: null,
        },
      ],
      edges: [
        {
          source: 'start',
          target: 'conversation',
          label: 'Go on',
          condition: 'The person has answered the greeting and can talk.',
        },
        {
          source: 'start',
          target: 'end',
          label: 'Not now',
          condition: 'The person cannot or does not want to talk, or it is the wrong person.',
        },
        {
          source: 'conversation',
          target: 'end',
          label: 'Done',
          condition: 'The purpose of the call is reached, or the person wants to end it.',
        },
      ],
    });
    return Promise.resolve(right({ name: nameOf(request), definition, generatedBy: OFFLINE_COMPOSER }));
  },
});
