/** What the routes work with. */
import { isLeft } from 'fp-ts/Either';
import { readersOf } from '../../projections';
import { categoryOf, type OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { EngineHealth } from '../engine/engine-watch';
import type { Executed } from '../engine/execute';
import type { Platform } from '../engine/platform';
import type { CarrierAccounts } from '../ports/carrier-accounts';
import type { LanguageModel } from '../ports/language-model';
import type { SignedAccess } from '../ports/object-store';
import type { Authentication } from './auth';
import type { KeyUses } from './key-use';
import { ledgerViews } from './ledger-views';
import type { Handled } from './route';

/** The part of the dialer that requests ask. Null where no dialer runs in this process. */
export interface DialerAccess {
  /** true when the dialer has folded `position`; false when `timeoutMs` ran out first. */
  settled(org: OrganizationId, position: Position, timeoutMs: number): Promise<boolean>;
  /** Why a campaign does or does not dial now; null: not known to this process. */
  explain(org: OrganizationId, campaign: number): unknown;
  /** Appends a fence for that revision of that stream; null: it can't, somebody else must. Answers its position. */
  fence?(org: OrganizationId, stream: string, revision: number): Promise<Position | null>;
}

/** How one consumer of the ledger stands. */
export interface ConsumerReadiness {
  readonly name: string;
  /** How far it is behind, seconds; 0 when it is at the end. */
  readonly lagSeconds: number;
  /** The event that it can't get over; null: none. */
  readonly stuck: { readonly eventId: string; readonly type: string; readonly error: string } | null;
  /** Why it does nothing at the moment; null: all is well. */
  readonly waiting: string | null;
}

export interface HttpOptions {
  readonly dialer: DialerAccess | null;
  readonly languageModel: LanguageModel;
  /** Asks carriers about accounts and numbers; absent: there is no way to them, and every look-up is one that failed. */
  readonly carrierAccounts?: CarrierAccounts | null;
  readonly signedAccess: SignedAccess | null;
  /** Largest JSON body, bytes. */
  readonly bodyLimitBytes: number;
  /** Largest upload, bytes. */
  readonly uploadMaxBytes: number;
  /** Base URL under which clients and carriers reach us, without a slash at the end. */
  readonly publicUrl: string;
  readonly readiness: () => Promise<readonly ConsumerReadiness[]>;
  /** Asks the engines that this process needs; absent: every one of the platform's. */
  readonly engines?: () => Promise<readonly EngineHealth[]>;
  /** Projections that a command waits for before it answers. */
  readonly consumers: readonly string[];
  /** Every change of a key passes through this process, so that found keys may be remembered (default false). */
  readonly onlyProcess?: boolean;
}

export interface Api extends HttpOptions {
  readonly engines: () => Promise<readonly EngineHealth[]>;
  readonly carrierAccounts: CarrierAccounts | null;
  readonly platform: Platform;
  readonly auth: Authentication;
  readonly keyUses: KeyUses;
}

/** How long a command waits for the read models, ms; then it answers all the same, since its events are stored. */
const VISIBLE_MS = 2000;

/**
 * Waits until what a command appended to `stream` is in every read model that shows it. A command that had nothing to do waits for what was
 * there before it. Answers what to read the answer from: the ledger, where the read models did not follow in time.
 */
export const visible = async <S, E>(api: Api, stream: string, done: Executed<S, E>): Promise<Api> => {
  const { platform } = api;
  const readers = readersOf(categoryOf(stream)).filter((name) => api.consumers.includes(name));
  const position = done.position ?? (await platform.events.head());
  return (await platform.progress.wait(readers, position, VISIBLE_MS))
    ? api
    : { ...api, platform: { ...platform, views: ledgerViews(platform) } };
};

/**
 * The answer of a command that was carried out, shown once the read models have it. What another request removed since is shown as the command
 * left it: a 404 would say that nothing was done. `meanwhile` is waited for too.
 */
export const shown = async <S, E>(
  api: Api,
  stream: string,
  done: Executed<S, E>,
  show: (now: Api) => Promise<Handled>,
  meanwhile?: Promise<void>,
): Promise<Handled> => {
  const [now] = await Promise.all([visible(api, stream, done), meanwhile]);
  const answer = await show(now);
  if (!isLeft(answer) || answer.left.kind !== 'not_found') return answer;
  const views = ledgerViews(api.platform, { stream, revision: done.revision });
  return show({ ...api, platform: { ...api.platform, views } });
};
