/**
 * The dialer's loop: fold what the feed brings, ask the policy, carry out what it says. It holds no rule of its own; whatever it drops or
 * repeats is harmless.
 */
import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '../core/event';
import { categoryOf, entityOf, organizationOf, partitionOf, type OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { Platform } from '../engine/platform';
import type { Timer } from '../ports/clock';
import { campaignCommands } from './campaigns';
import { pause } from './commands';
import { carrierConnections } from './connections';
import { contactsCache } from './contacts';
import { explain } from './explain';
import { followedCalls, writeNews } from './following';
import type { Gate } from './gates';
import { importer } from './import';
import type { OrganizationState } from './model';
import { nextActions, type Action } from './next-actions';
import { newsQueue } from './news';
import { settingsOf, type DialerOptions } from './options';
import { placingLine } from './placing';
import { organizationRates } from './rates';
import { callRecovery } from './recovery';
import type { OrganizationShell, Shell } from './shell';
import { snapshots } from './snapshots';
import { DIALER_CATEGORIES, fold, newState } from './state';
import { turnTaker } from './turns';
import { capacityOf as capacityFor } from './view';

export interface DialerStatus {
  /** Everything stored at the start has been folded: it dials. */
  readonly caughtUp: boolean;
  readonly position: Position;
  /** Why it stands still; null: it does not. */
  readonly problem: string | null;
  readonly callsInFlight: number;
}

export interface DialerHandle {
  /** Reads the snapshots and begins to follow the feed; resolves before it has caught up. */
  start(): Promise<void>;
  /** No new claims; what is under way finishes, within bounds. */
  stop(): Promise<void>;
  /** The gates of a campaign as they stand, in order. */
  explain(org: OrganizationId, campaign: number): readonly Gate[];
  /**
   * true: everything up to `position` is folded, and no place request of this organization written before that is unanswered; so a pause that is
   * stored at `position` keeps any further call from its carrier. false: `timeoutMs` ran out first.
   */
  settled(org: OrganizationId, position: Position, timeoutMs: number): Promise<boolean>;
  status(): DialerStatus;
}

/** A turn of another process younger than this may still have claims to send. */
const RECENT_TURN = 30_000;
/** A wake-up is never further away than this, so that a clock that was set is noticed. */
const LONGEST_WAKE = 30_000;
const DRAIN_MS = 5000;

interface SettledWaiter {
  readonly org: OrganizationId;
  readonly position: Position;
  readonly passed: () => void;
}

export const dialerLoop = (platform: Platform, options: DialerOptions): DialerHandle => {
  const settings = settingsOf(options);
  const { clock, log } = platform;
  const owner = options.owner ?? randomUUID();
  const ending = new AbortController();
  const state = newState();
  const organizations = new Map<OrganizationId, OrganizationShell>();
  const dirty = new Set<OrganizationId>();
  const toReview = new Set<OrganizationId>();
  const wakes = new Map<OrganizationId, { readonly at: number; readonly timer: Timer }>();
  let owned: ReadonlySet<number> = new Set();
  let caughtUp = false;
  let stopping = false;
  let problem: string | null = null;
  let sweepTimer: Timer | null = null;
  let settledWaiters: SettledWaiter[] = [];
  let following: Promise<void> = Promise.resolve();

  const orgShell = (id: OrganizationId): OrganizationShell => {
    let own = organizations.get(id);
    if (own === undefined)
      organizations.set(
        id,
        (own = {
          id,
          held: new Map(),
          inHand: new Map(),
          turnTaking: false,
          turnNotBefore: 0,
          batch: settings.times.claimsPerTurn,
          tail: null,
          busy: new Set(),
          placing: new Set(),
          seen: new Map(),
          asked: new Map(),
          gone: new Set(),
          rates: organizationRates(clock, settings.rate, settings.horizonMs),
          rotation: new Map(),
        }),
      );
    return own;
  };

  const shell: Shell = {
    platform,
    settings,
    owner,
    state,
    following: new Map(),
    news: newsQueue(platform, ending.signal),
    connections: carrierConnections({
      platform,
      carriers: options.carriers,
      signal: ending.signal,
      drainMs: DRAIN_MS,
      news: (org, news) => writeNews(shell, org, news),
      changed: (org) => poke(org),
      followed: (org, id) => followedCalls(shell, org, id),
    }),
    org: orgShell,
    owns: (id) => owned.has(partitionOf(id)),
    poke: (id) => poke(id),
    stopping: () => stopping,
    signal: ending.signal,
  };
  const capacityOf = capacityFor(shell);
  const placing = placingLine(shell, capacityOf);
  const turns = turnTaker(shell, contactsCache(platform), placing);
  const recovery = callRecovery(shell);
  const campaigns = campaignCommands(shell);
  const imports = importer(shell);
  const store = snapshots(shell);

  const wakeAt = (id: OrganizationId, at: number): void => {
    const known = wakes.get(id);
    if (known !== undefined && known.at <= at && known.at > clock.now()) return;
    known?.timer.cancel();
    const timer = clock.after(Math.min(Math.max(0, at - clock.now()), LONGEST_WAKE), () => {
      wakes.delete(id);
      poke(id);
    });
    wakes.set(id, { at, timer });
  };

  const perform = (org: OrganizationState, action: Action): void => {
    switch (action.type) {
      case 'claim':
        return void turns.take(org, action.claims);
      case 'wake':
        return wakeAt(org.id, action.at);
      case 'import':
        return imports.begin(org, action.campaign);
      case 'complete':
      case 'trip':
      case 'cancel':
        return void campaigns.carryOut(org, action);
      case 'withdraw':
      case 'mark_uncertain':
      case 'adopt':
      case 'ask':
      case 'ask_lingering':
        return void recovery
          .carryOut(org, action)
          .catch((error: unknown) => log.error({ org: org.id, err: error }, 'a recovery step failed'));
    }
  };

  /** Rates in force, and connections to the carriers of what is dialed. */
  const equip = (org: OrganizationState): void => {
    const { rates } = orgShell(org.id);
    let changed = rates.setRate(null, org.limits.calls_per_second);
    const used = new Set<number>();
    for (const campaign of org.campaigns.values()) {
      if (campaign.status === 'running') used.add(campaign.configuration);
      if (campaign.status !== 'draft')
        changed = rates.setRate(campaign.id, campaign.settings.rate_limit_per_second) || changed;
    }
    if (toReview.has(org.id))
      for (const call of org.calls.values()) if (call.claim !== null) used.add(call.claim.configuration);
    for (const id of used) {
      const config = org.configurations.get(id);
      if (config !== undefined) shell.connections.want(org.id, id, config);
    }
    if (changed) placing.pump(org.id);
  };

  const decide = (id: OrganizationId): void => {
    const org = state.organizations.get(id);
    if (org === undefined || !caughtUp || problem !== null || ending.signal.aborted || !shell.owns(id)) return;
    equip(org);
    const review = toReview.delete(id);
    const actions = nextActions(org, clock.now(), capacityOf(org), settings.times, review ? undefined : []);
    for (const action of actions) if (!stopping || action.type === 'wake') perform(org, action);
  };

  let scheduled = false;
  const poke = (id: OrganizationId): void => {
    dirty.add(id);
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      const ids = [...dirty];
      dirty.clear();
      for (const each of ids) decide(each);
    });
  };

  /** What this process remembers of calls that are over. */
  const forget = (org: OrganizationState): void => {
    const own = orgShell(org.id);
    for (const run of own.seen.keys()) if (!org.calls.has(run)) own.seen.delete(run);
    const lingering = new Set(org.lingering.map(({ reference }) => reference));
    for (const reference of own.asked.keys())
      if (!org.references.has(reference) && !lingering.has(reference)) own.asked.delete(reference);
    for (const reference of own.gone) if (!lingering.has(reference)) own.gone.delete(reference);
  };

  const sweep = (): void => {
    for (const org of state.organizations.values()) {
      if (!shell.owns(org.id)) continue;
      const busy = org.calls.size > 0 || org.lingering.length > 0;
      if (busy) toReview.add(org.id);
      if (busy || [...org.campaigns.values()].some((c) => c.status !== 'draft' && c.status !== 'paused')) poke(org.id);
      if (organizations.has(org.id)) forget(org);
    }
    sweepTimer = clock.after(settings.sweepMs, sweep);
  };

  /** Beside the fold: own turns seen, turns of others, calls that are over. */
  const notice = (event: RecordedEvent, org: OrganizationState): void => {
    if (event.type !== 'TurnTaken') return;
    const { owner: whose, claims } = event.data as unknown as { owner: string; claims: readonly { run_id: number }[] };
    if (whose === owner) {
      const own = orgShell(org.id);
      for (const { run_id } of claims) own.held.delete(run_id);
    } else if (clock.now() - Date.parse(event.metadata.at) < RECENT_TURN) {
      // Its owner may send until its claims are too old; only a window later may we send.
      orgShell(org.id).rates.empty(settings.times.claimMs + settings.rate.windowMs);
    }
  };

  const foldOne = (event: RecordedEvent): void => {
    const id = organizationOf(event.stream);
    const run = categoryOf(event.stream) === 'run' ? entityOf(event.stream) : null;
    const before = id === null || run === null ? undefined : state.organizations.get(id)?.calls.get(run);
    const org = fold(state, event);
    if (org === null) return;
    dirty.add(org.id);
    notice(event, org);
    // A call that is over needs no following any more.
    if (run !== null && before !== undefined && before.claim !== null && !org.calls.has(run))
      shell.following.delete(before.claim.reference);
  };

  const passed = (): void => {
    platform.progress.reached('dialer', state.position);
    const [reached, rest] = [
      settledWaiters.filter((w) => w.position <= state.position),
      settledWaiters.filter((w) => w.position > state.position),
    ];
    settledWaiters = rest;
    for (const waiter of reached) waiter.passed();
  };

  const follow = async (): Promise<void> => {
    const batches = options.feed.subscribe({
      after: state.position,
      categories: DIALER_CATEGORIES,
      limit: settings.feedLimit,
      signal: ending.signal,
    });
    for await (const batch of batches) {
      for (const event of batch.events) foldOne(event);
      if (batch.position > state.position) state.position = batch.position;
      if (batch.caughtUp && !caughtUp) {
        caughtUp = true;
        log.info({ position: state.position, organizations: state.organizations.size }, 'the dialer has caught up');
        for (const id of state.organizations.keys()) {
          toReview.add(id);
          dirty.add(id);
        }
      }
      passed();
      const touched = [...dirty];
      for (const id of touched) poke(id);
      store.maybeWrite(batch.events.length);
    }
  };

  const ownershipChanged = (now: ReadonlySet<number>): void => {
    const before = owned;
    owned = now;
    for (const org of state.organizations.values()) {
      const partition = partitionOf(org.id);
      if (now.has(partition) && !before.has(partition)) {
        if (caughtUp) orgShell(org.id).rates.empty(settings.times.claimMs + settings.rate.windowMs);
        toReview.add(org.id);
        poke(org.id);
      } else if (!now.has(partition) && before.has(partition)) void shell.connections.close(org.id);
    }
  };

  const quiet = (): boolean =>
    shell.news.pending() === 0 &&
    [...organizations.values()].every((o) => o.inHand.size === 0 && o.placing.size === 0 && !o.turnTaking);

  return {
    start: async () => {
      await store.restore();
      await options.leases.start((change) => ownershipChanged(change.owned));
      following = follow().catch((error: unknown) => {
        problem = `the dialer cannot fold the ledger: ${(error as Error).message}`;
        log.error({ err: error }, problem);
      });
      sweepTimer = clock.after(settings.sweepMs, sweep);
    },
    stop: async () => {
      if (stopping) return;
      stopping = true;
      for (const id of organizations.keys()) placing.pump(id);
      const until = clock.monotonic() + settings.stopMs;
      while (!quiet() && clock.monotonic() < until) await pause(clock, 20, ending.signal);
      sweepTimer?.cancel();
      for (const { timer } of wakes.values()) timer.cancel();
      await Promise.race([imports.stopped(), pause(clock, settings.stopMs, ending.signal)]);
      await shell.connections.closeAll();
      if (problem === null) await store.write();
      ending.abort();
      await following;
      await options.leases.release();
    },
    explain: (id, campaign) => {
      const org = state.organizations.get(id);
      if (org === undefined) return [];
      return explain(org, campaign, clock.now(), capacityOf(org));
    },
    settled: (org, position, timeoutMs) =>
      new Promise((resolve) => {
        const timer = clock.after(timeoutMs, () => {
          settledWaiters = settledWaiters.filter((w) => w !== waiter);
          resolve(false);
        });
        const waiter: SettledWaiter = {
          org,
          position,
          passed: () =>
            void Promise.allSettled([...orgShell(org).placing]).then(() => {
              timer.cancel();
              resolve(true);
            }),
        };
        if (position <= state.position) waiter.passed();
        else settledWaiters.push(waiter);
      }),
    status: () => ({
      caughtUp,
      position: state.position,
      problem,
      callsInFlight: [...state.organizations.values()].reduce((sum, org) => sum + org.calls.size, 0),
    }),
  };
};
