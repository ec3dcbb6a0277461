/** One request to a carrier's REST API: bounded in time and size, its failures told apart, its credentials never in a message. */
import { left, right, type Either } from 'fp-ts/Either';
import type { AccountFailure } from '../../ports/carrier-accounts';

export interface RestRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Statuses below 500 that are answers here, beside 2xx; the others are refusals. */
  readonly expected?: readonly number[];
}
export interface RestAnswer {
  readonly status: number;
  /** The body as JSON; null where it is none. */
  readonly json: unknown;
}
export type Rest = (url: string, request: RestRequest) => Promise<Either<AccountFailure, RestAnswer>>;

export const refused = (message: string): Either<AccountFailure, never> => left({ kind: 'refused', message });
export const unreachable = (message: string): Either<AccountFailure, never> => left({ kind: 'unreachable', message });

/** Longest body that is read, bytes. */
const LONGEST_BODY = 1_000_000;
/** Longest text of the carrier's that is passed on, characters. */
const LONGEST_TEXT = 200;

/** A segment of a path. Null: it would not stay one. */
const segment = (value: string): string | null =>
  value === '' || value === '.' || value === '..' ? null : encodeURIComponent(value);

/** Base URL and segments joined; null where a value of the credentials can't be a segment. */
export const urlOf = (base: string, ...segments: readonly string[]): string | null => {
  const written = segments.map(segment);
  return written.includes(null) ? null : `${base}/${written.join('/')}`;
};

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const readBounded = async (answer: Response): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > LONGEST_BODY) throw new Error('its answer is too long');
    chunks.push(Buffer.from(chunk as Uint8Array));
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** What the carrier says of a refusal: `message`, `error.message`, `errors[0].detail` and the like; null: nothing that is text. */
const reasonIn = (json: unknown, depth = 0): string | null => {
  if (typeof json === 'string') return depth > 0 && json !== '' ? json : null;
  if (typeof json !== 'object' || json === null || depth > 3) return null;
  if (Array.isArray(json)) return reasonIn(json[0], depth + 1);
  for (const name of ['message', 'detail', 'error', 'errors', 'title']) {
    const found = reasonIn((json as Record<string, unknown>)[name], depth + 1);
    if (found !== null) return found;
  }
  return null;
};

/** `secrets` never appear in a failure's message. */
export const restClient =
  (options: { readonly timeoutMs: number; readonly secrets: readonly string[] }): Rest =>
  async (url, { method = 'GET', headers, json, form, expected = [] }) => {
    const withoutSecrets = (text: string): string =>
      options.secrets
        .filter((secret) => secret.length >= 4)
        .reduce((told, secret) => told.replaceAll(secret, '***'), text)
        .slice(0, LONGEST_TEXT);
    const type =
      json !== undefined ? 'application/json' : form !== undefined ? 'application/x-www-form-urlencoded' : null;
    let request: Request;
    try {
      request = new Request(url, {
        method,
        headers: { Accept: 'application/json', ...headers, ...(type === null ? {} : { 'Content-Type': type }) },
        ...(json !== undefined ? { body: JSON.stringify(json) } : {}),
        ...(form !== undefined ? { body: new URLSearchParams(form).toString() } : {}),
        // Credentials go where they were meant to go and nowhere else.
        redirect: 'manual',
        signal: AbortSignal.timeout(options.timeoutMs),
      });
    } catch {
      return refused('the credentials hold characters that can’t be sent');
    }
    try {
      const answer = await fetch(request);
      const body = parsed(await readBounded(answer));
      const { status } = answer;
      if (answer.ok || (status < 500 && expected.includes(status))) return right({ status, json: body });
      const reason = reasonIn(body);
      const told = `HTTP ${status}${reason === null ? '' : ` ${withoutSecrets(reason)}`}`;
      if (status === 401 || status === 403) return refused(`wrong credentials (${told})`);
      return status === 429 || status === 408 || status >= 500 || status < 400 ? unreachable(told) : refused(told);
    } catch (error) {
      const cause = (error as { cause?: { code?: string } }).cause?.code;
      const isLate = (error as Error).name === 'TimeoutError';
      return unreachable(
        isLate ? `no answer within ${options.timeoutMs} ms` : (cause ?? withoutSecrets((error as Error).message)),
      );
    }
  };
