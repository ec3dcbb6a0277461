/** A language model behind any endpoint that speaks OpenAI's chat completions with structured output. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import OpenAI, { APIConnectionError, APIError } from 'openai';
import { definitionOf, type AgentDraft, type DraftEdge, type DraftNode } from '../../engine/agent-draft';
import type { ComposedAgent, LanguageModel, TemplateRequest } from '../../ports/language-model';

export interface OpenAiOptions {
  /** Ends in the version, e.g. https://api.openai.com/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /**
   * How long one answer may take, ms (default 30,000). A failed request is not repeated: whoever asked is told at once and may ask again. Only an
   * endpoint that does not take the form of the request (400) is asked once more, without structured output.
   */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

const text = { type: 'string' };
const shape = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Strict structured output wants every property required and no others allowed. */
const SCHEMA = shape({
  name: { type: 'string', description: 'A short name for the agent' },
  nodes: {
    type: 'array',
    items: shape({
      id: text,
      type: { type: 'string', enum: ['startCall', 'agentNode', 'endCall', 'globalNode'] },
      name: text,
      prompt: { type: 'string', description: 'What the agent does in this part of the call' },
      greeting: { type: ['string', 'null'], description: 'startCall only: what is said first; null elsewhere' },
    }),
  },
  edges: {
    type: 'array',
    items: shape({
      source: { type: 'string', description: 'id of a node' },
      target: { type: 'string', description: 'id of a node' },
      label: { type: 'string', description: 'A short name, unlike those of the other edges of the same source' },
      condition: { type: 'string', description: 'When the conversation moves along this edge' },
    }),
  },
});

const INSTRUCTIONS = `You design voice agents for telephone calls. An agent is a graph: nodes are parts of the conversation, edges are the ways from one to the next.
Rules:
- Exactly one startCall. No edge leads to it.
- Any number of agentNode; each is the target of at least one edge.
- One or more endCall, each the target of at least one edge; no edge leaves an endCall.
- At most one globalNode, with instructions for the whole call; no edge leads to it or leaves it.
- Every node has its own id and a prompt. Edges of one node have different labels.
- Prompts are plain instructions in the second person, spoken language, short sentences.
- Do not use template variables in double braces unless the description names them.
Answer with one JSON object and nothing else, by this JSON Schema: ${JSON.stringify(SCHEMA)}`;

const purposeOf = ({ callType, useCase, activityDescription }: TemplateRequest): string =>
  `Design an agent for ${callType} calls.\nUse case: ${useCase}\nWhat it does: ${activityDescription}`;

/** What a user reads when the request itself failed. Nothing of the key, of which some endpoints repeat a part. */
const inWords = (error: unknown): string => {
  if (error instanceof APIConnectionError) return 'the language model could not be reached.';
  if (error instanceof APIError)
    switch (error.status) {
      case 401:
      case 403:
        return `the language model refused the credentials (${error.status}).`;
      case 404:
        return 'the language model endpoint does not know the model or the address (404).';
      case 429:
        return 'the language model takes no more requests for now (429).';
      default:
        return `the language model answered with an error${error.status === undefined ? '' : ` (${error.status})`}.`;
    }
  return 'the language model gave an answer that cannot be read.';
};

/** Without halves of characters, which nothing can store; null: it is blank. */
const nameOf = (name: unknown): string | null =>
  textOf(name)
    .replace(/\p{Surrogate}/gu, '')
    .trim() || null;

/** The object within an answer: endpoints without structured output like to fence their JSON, or to say something before and after it. */
const objectIn = (content: string): string => content.slice(content.indexOf('{'), content.lastIndexOf('}') + 1);

/** The model's answer as a draft; null where it is not shaped like one, so that it is checked, found empty and repaired. */
const draftOf = (content: string): { readonly name: string | null; readonly draft: AgentDraft | null } => {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(objectIn(content)) as Record<string, unknown>;
  } catch {
    return { name: null, draft: null };
  }
  const { name, nodes, edges } = parsed;
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const usable = Array.isArray(nodes) && Array.isArray(edges) && nodes.every(isRecord) && edges.every(isRecord);
  return {
    name: nameOf(name),
    draft: usable ? { nodes: nodes.map(nodeOf), edges: edges.map(edgeOf) } : null,
  };
};

/** Endpoints without structured output may leave fields out or fill them with anything; what is no text is found blank and repaired. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const nodeOf = (node: Record<string, unknown>): DraftNode => ({
  id: textOf(node['id']),
  type: textOf(node['type']) as DraftNode['type'],
  name: textOf(node['name']),
  prompt: textOf(node['prompt']),
  greeting: textOf(node['greeting']) || null,
});
const edgeOf = (edge: Record<string, unknown>): DraftEdge => ({
  source: textOf(edge['source']),
  target: textOf(edge['target']),
  label: textOf(edge['label']),
  condition: textOf(edge['condition']),
});

export const openAiModel = (options: OpenAiOptions): LanguageModel => {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const client = new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });

  const ask = async (messages: OpenAI.ChatCompletionMessageParam[]): Promise<Either<string, string>> => {
    // The client's own timeout ends with the headers; this one holds until the answer is read.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      const send = (form: Pick<OpenAI.ChatCompletionCreateParamsNonStreaming, 'response_format'>) =>
        client.chat.completions.create({ model: options.model, messages, ...form }, { signal: deadline.signal });
      const answer = await send({
        response_format: { type: 'json_schema', json_schema: { name: 'voice_agent', strict: true, schema: SCHEMA } },
      }).catch((error: unknown) => {
        if (error instanceof APIError && error.status === 400) return send({});
        throw error;
      });
      const choice = answer.choices?.[0];
      if (choice?.message.refusal) return left('the language model declined the request.');
      if (choice?.finish_reason === 'length') return left('the answer of the language model was cut off.');
      if (choice?.finish_reason === 'content_filter') return left('the answer of the language model was filtered out.');
      const content = choice?.message.content;
      return typeof content === 'string' && content !== ''
        ? right(content)
        : left('the language model gave an empty answer.');
    } catch (error) {
      return left(deadline.signal.aborted ? 'the language model did not answer in time.' : inWords(error));
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    compose: async (request, repair): Promise<Either<string, ComposedAgent>> => {
      const content = await ask([
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: purposeOf(request) },
        ...(repair === undefined
          ? []
          : [
              { role: 'assistant' as const, content: JSON.stringify(repair.definition) },
              {
                role: 'user' as const,
                content: `That agent breaks these rules:\n${repair.errors.map((e) => `- ${e}`).join('\n')}\nWrite it again, whole, with all of them mended.`,
              },
            ]),
      ]);
      if (isLeft(content)) return content;
      const { name, draft } = draftOf(content.right);
      return right({
        name: name ?? `${request.useCase} - ${request.callType}`,
        definition: draft === null ? {} : definitionOf(draft),
        generatedBy: options.model,
      });
    },
  };
};
