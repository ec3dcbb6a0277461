/** What each carrier's file gives: the four questions of the port, for one account. */
import { isLeft, right, type Either } from 'fp-ts/Either';
import type { AccountFailure } from '../../ports/carrier-accounts';
import { refused, unreachable, type Rest, type RestRequest } from './rest';

export interface AccountDeps {
  readonly rest: Rest;
  /** Base URL of the carrier's API, without a slash at the end. */
  readonly base: string;
  /** Where the carrier is to send inbound calls. */
  readonly inboundUrl: string;
  /** A name that no other application of the account has. */
  readonly applicationName: () => string;
  /** A credential as text; empty where it is missing. */
  readonly credential: (name: string) => string;
}

export type Asked<T> = Promise<Either<AccountFailure, T>>;

export interface Account {
  readonly check: () => ReturnType<Rest>;
  /** What of the answer to `check` a configuration keeps. */
  readonly keeps?: (json: unknown) => Readonly<Record<string, string>> | null;
  /** Absent: this carrier's configurations need no application. */
  readonly createApplication?: () => Asked<string>;
  /** Right: whether the account has it. */
  readonly owns: (address: string) => Asked<boolean>;
  readonly attach: (address: string) => Asked<unknown>;
  readonly detach: (address: string) => Asked<unknown>;
}

/** E.164 without its plus. */
export const digitsOf = (address: string): string => address.replace(/^\+/, '');

/** A request to a URL made of credentials; one that they can't make is refused. */
export const ask = (rest: Rest, url: string | null, request: RestRequest): ReturnType<Rest> =>
  url === null
    ? Promise.resolve(refused('an account, domain or application of that name can’t exist'))
    : rest(url, request);

/** An own property of an object, or undefined. */
export const fieldOf = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? (json as Record<string, unknown>)[name]
    : undefined;

export const listOf = (json: unknown, name: string): readonly unknown[] => {
  const found = Array.isArray(json) ? json : fieldOf(json, name);
  return Array.isArray(found) ? found : [];
};

/** The id that the answer to a creation names under one of the names. */
export const createdId = async (answer: ReturnType<Rest>, ...names: readonly string[]): Asked<string> => {
  const made = await answer;
  if (isLeft(made)) return made;
  const data = fieldOf(made.right.json, 'data') ?? made.right.json;
  const id = names.map((name) => fieldOf(data, name)).find((v) => typeof v === 'string' || typeof v === 'number');
  return id === undefined || id === '' ? unreachable('its answer names no application') : right(String(id));
};

export const nothing = async (): Asked<null> => right(null);
