/**
 * The dialer's loop: fold what the feed brings, ask the policy, carry out what it says. It holds no rule of its own; whatever it drops or
 * repeats is harmless.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { RecordedEvent } from '../core/event';
import { categoryOf, entityOf, organizationOf, partitionOf, type OrganizationId } from '../core/ids';
import type { Platform } from '../engine/platform';
import type { Timer } from '../ports/clock';
import type { EventBatch } from '../ports/event-store';
import { campaignCommands } from './campaigns';
import { pause } from '../engine/pause';
import { fence } from './dialing';
import { carrierConnections } from './connections';
import { contactsCache } from './contacts';
import { explain } from './explain';
import { followedCalls, writeNews } from './following';
import type { DialerHandle } from './handle';
import { importer } from './import';
import type { OrganizationState } from './model';
import { nextActions, type Action } from './next-actions';
import { newsQueue } from './news';
import { failRequest } from './requests';
import { settingsOf, type DialerOptions } from './options';
import { placingLine } from './placing';
import { callRecovery } from './recovery';
import { forgetWhatIsOver, newOrganizationShell, type OrganizationShell, type Shell } from './shell';
import { placesSettled } from './settling';
import { snapshots } from './snapshots';
import { DIALER_CATEGORIES, fold, newState } from './state';
import { turnTaker } from './turns';
import { capacityOf as capacityFor } from './view';

/** A turn of another process younger than this may still have claims to send. */
const RECENT_TURN = 30_000;
/** A wake-up is never further away than this, so that a clock that was set is noticed. */
const LONGEST_WAKE = 30_000;
const DRAIN_MS = 5000;
const FEED_PAUSE = 1000;

export const dialerLoop = (platform: Platform, options: DialerOptions): DialerHandle => {
  const settings = settingsOf(options);
  const { clock, log } = platform;
  const owner = options.owner ?? randomUUID();
  const ending = new AbortController();
  // Every wait that the end cuts short listens to it.
  setMaxListeners(0, ending.signal);
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
  let following: Promise<void> = Promise.resolve();

  const orgShell = (id: OrganizationId): OrganizationShell => {
    let own = organizations.get(id);
    if (own === undefined) organizations.set(id, (own = newOrganizationShell(id, clock, settings)));
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
  const settling = placesSettled(shell);

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
      case 'fail_request':
        return void failRequest(shell, org, action);
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
    for (const request of org.requests.values()) used.add(request.configuration);
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

  const sweep = (): void => {
    for (const org of state.organizations.values()) {
      if (!shell.owns(org.id)) continue;
      const busy = org.calls.size > 0 || org.lingering.length > 0 || org.requests.size > 0;
      if (busy) toReview.add(org.id);
      if (busy || [...org.campaigns.values()].some((c) => c.status !== 'draft' && c.status !== 'paused')) poke(org.id);
      if (organizations.has(org.id)) forgetWhatIsOver(shell, org);
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

  const foldBatch = (batch: EventBatch): void => {
    for (const event of batch.events) {
      try {
        foldOne(event);
      } catch (error) {
        problem = `the dialer cannot fold ${event.type} at ${event.position}: ${(error as Error).message}`;
        log.error({ err: error, stream: event.stream, revision: event.revision }, problem);
        throw error;
      }
    }
    if (batch.position > state.position) state.position = batch.position;
    if (batch.caughtUp && !caughtUp) {
      caughtUp = true;
      log.info({ position: state.position, organizations: state.organizations.size }, 'the dialer has caught up');
      for (const id of state.organizations.keys()) {
        toReview.add(id);
        dirty.add(id);
      }
    }
    platform.progress.reached('dialer', state.position);
    settling.passed();
    for (const id of [...dirty]) poke(id);
    store.maybeWrite(batch.events.length);
  };

  /** Follows the feed until the end; a feed that breaks off is followed again from where the fold is. */
  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted && problem === null) {
      try {
        const batches = options.feed.subscribe({
          after: state.position,
          categories: DIALER_CATEGORIES,
          limit: settings.feedLimit,
          signal: ending.signal,
        });
        for await (const batch of batches) foldBatch(batch);
      } catch (error) {
        if (problem === null) log.warn({ err: error }, 'the feed broke off');
      }
      await pause(clock, FEED_PAUSE, ending.signal);
    }
  };

  const ownershipChanged = (now: ReadonlySet<number>): void => {
    const before = owned;
    owned = now;
    for (const org of state.organizations.values()) {
      const partition = partitionOf(org.id);
      if (now.has(partition) && !before.has(partition)) {
        // No wait for the rate's sake: whatever turn another owner took last is folded before our first one, and `notice` waits for that.
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
      following = follow();
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
    settled: settling.settled,
    fence: async (id, stream, revision) => {
      const org = state.organizations.get(id);
      return org === undefined || !caughtUp ? null : fence(shell, org, stream, revision);
    },
    status: () => ({
      caughtUp,
      position: state.position,
      problem,
      callsInFlight: [...state.organizations.values()].reduce((sum, org) => sum + org.calls.size, 0),
    }),
  };
};
