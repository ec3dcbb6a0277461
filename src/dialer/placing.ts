/**
 * From a durable claim to the carrier's answer: claims wait in line for the rate's token; the step that writes the request asks every gate
 * again and takes the token. A claim shut out, or too old, is given back.
 */
import type { PlaceCall, PlaceResult } from '../ports/carrier';
import { WITHDRAWN_TOO_OLD } from './reasons';
import type { CapacityOf } from './view';
import { shutSinceClaim, type Gate } from './gates';
import type { OrganizationState } from './model';
import type { Claim } from './next-actions';
import { requestShutSinceClaim } from './request-gates';
import { letGo, markSent, type FollowedCall, type InHand, type Shell } from './shell';
import type { CallRef } from '../domain/run/events';
import type { OrganizationId } from '../core/ids';
import type { Timer } from '../ports/clock';

/** A claim that is durable and may be sent. */
export interface ReadyClaim {
  readonly org: OrganizationId;
  readonly claim: Claim;
  readonly ref: CallRef;
  readonly configuration: number;
  readonly call: PlaceCall;
  readonly follow: FollowedCall;
  readonly hand: InHand;
}

export interface Placing {
  add(ready: ReadyClaim): void;
  /** Tries again what waits, e.g. because a rate was raised. */
  pump(org: OrganizationId): void;
  /** Gives a claim back: nothing of it was sent. */
  withdraw(ready: Pick<ReadyClaim, 'org' | 'claim' | 'ref' | 'hand'>, reason: string): void;
}

interface Line {
  /** By campaign (null: test calls), in order. */
  readonly waiting: Map<number | null, ReadyClaim[]>;
  /** Handed to a connection that has not asked `mayPlace` yet, by campaign. */
  readonly ahead: Map<number | null, number>;
  timer: Timer | null;
}

export const placingLine = (shell: Shell, capacityOf: CapacityOf): Placing => {
  const { platform, settings, state, connections, news, following } = shell;
  const { clock } = platform;
  const lines = new Map<OrganizationId, Line>();
  const lineOf = (org: OrganizationId): Line => {
    let line = lines.get(org);
    if (line === undefined) lines.set(org, (line = { waiting: new Map(), ahead: new Map(), timer: null }));
    return line;
  };

  const withdraw: Placing['withdraw'] = ({ org, claim, ref, hand }, reason) => {
    const own = shell.org(org);
    if (reason === WITHDRAWN_TOO_OLD) own.batch = Math.max(1, Math.floor(own.batch / 2));
    void news
      .write(org, claim.run, { type: 'WithdrawCall', call: ref, reason }, 'dialer')
      .then(() => letGo(own, claim.run, hand));
  };

  /** Asks the gates of what a claim is for; null: that is over. */
  const shutGate = (org: OrganizationState, claim: Claim): (() => Gate | null) | null => {
    const asked = { org, now: clock.now(), capacity: capacityOf(org) };
    if (claim.campaign === null) {
      const request = org.requests.get(claim.run);
      return request === undefined ? null : () => requestShutSinceClaim({ ...asked, request });
    }
    const campaign = org.campaigns.get(claim.campaign);
    return campaign === undefined ? null : () => shutSinceClaim({ ...asked, campaign });
  };

  /** Whether a claim may be sent in this very step; if so the rate's tokens are taken. */
  const mayPlace = (
    ready: ReadyClaim,
  ): { readonly ok: true } | { readonly ok: false; readonly why: string; readonly later: boolean } => {
    const no = (why: string, later = false) => ({ ok: false as const, why, later });
    const own = shell.org(ready.org);
    if (ready.hand.sent || ready.hand.over) return no('the claim was sent or given back');
    if (shell.stopping()) return no('the dialer is stopping');
    if (clock.monotonic() - ready.hand.startedAt > settings.times.claimMs) return no(WITHDRAWN_TOO_OLD);
    const org = state.organizations.get(ready.org);
    if (org === undefined) return no('what it was claimed for is over');
    const shutFor = shutGate(org, ready.claim);
    if (shutFor === null) return no('what it was claimed for is over');
    // The fold may be behind our own appends; what it shows of the call must not contradict them.
    const call = org.calls.get(ready.claim.run);
    const folded = call !== undefined && call.attempt === ready.claim.attempt;
    const ours = folded
      ? (call.phase === 'turn' || call.phase === 'claimed') && !call.erased
      : own.held.has(ready.claim.run);
    if (!ours) return no('the claim was taken away');
    const gate = shutFor();
    if (gate !== null) return no(gate.reason ?? gate.gate);
    if (!own.rates.take(ready.claim.campaign)) return no('rate', true);
    own.batch = Math.min(own.batch + 1, settings.times.claimsPerTurn);
    markSent(own, ready.hand);
    return { ok: true };
  };

  const settle = (ready: ReadyClaim, result: PlaceResult): void => {
    const { org, claim, follow, hand } = ready;
    const own = shell.org(org);
    const actor = `carrier:${follow.provider}`;
    const { attempt } = claim;
    switch (result.kind) {
      case 'placed':
        void news.write(org, claim.run, { type: 'RecordPlaced', attempt, carrierCallId: result.carrierCallId }, actor);
        return letGo(own, claim.run, hand);
      case 'refused': {
        const { code, message } = result;
        void news.write(org, claim.run, { type: 'RecordRefused', attempt, code, message }, actor);
        return letGo(own, claim.run, hand);
      }
      case 'unknown':
        void news.write(org, claim.run, { type: 'RecordUncertain', attempt, reason: result.message }, actor);
        return letGo(own, claim.run, hand);
      case 'not_now':
        connections.shut(org, ready.configuration, result.message, result.retryAfterMs);
        return withdraw(ready, `${result.code}: ${result.message}`);
      case 'withheld':
        return withdraw(ready, 'withheld');
    }
  };

  const send = (ready: ReadyClaim): void => {
    const own = shell.org(ready.org);
    const line = lineOf(ready.org);
    const { campaign } = ready.claim;
    const connection = connections.get(ready.org, ready.configuration);
    if (connection === null) return withdraw(ready, 'the connection to the carrier is away');
    const ahead = (by: number): void => void line.ahead.set(campaign, (line.ahead.get(campaign) ?? 0) + by);
    let asked = false;
    const noLongerAhead = (): void => {
      if (!asked) ahead(-1);
      asked = true;
    };
    let answer: ReturnType<typeof mayPlace> | null = null;
    let unanswered = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      unanswered = resolve;
    });
    ahead(1);
    following.set(ready.follow.reference, ready.follow);
    void connection
      .place(ready.call, () => {
        noLongerAhead();
        answer = mayPlace(ready);
        if (answer.ok) own.placing.add(answered);
        return answer.ok;
      })
      .catch((error: unknown): PlaceResult => ({ kind: 'unknown', message: (error as Error).message }))
      .then((result) => {
        noLongerAhead();
        own.placing.delete(answered);
        unanswered();
        const said = answer;
        if (result.kind === 'withheld' && said !== null && !said.ok) {
          if (said.later) queue(ready, true);
          else {
            following.delete(ready.follow.reference);
            withdraw(ready, said.why);
          }
        } else settle(ready, result);
        pump(ready.org);
        shell.poke(ready.org);
      });
  };

  const queue = (ready: ReadyClaim, first: boolean): void => {
    const { waiting } = lineOf(ready.org);
    const line = waiting.get(ready.claim.campaign) ?? [];
    waiting.set(ready.claim.campaign, line);
    if (first) line.unshift(ready);
    else line.push(ready);
  };

  /** Sends of one campaign's line what may go now; answers when the next may, monotonic ms. */
  const pumpCampaign = (org: OrganizationId, line: Line, campaign: number | null, ready: ReadyClaim[]): number => {
    const own = shell.org(org);
    for (let head = ready[0]; head !== undefined; head = ready[0]) {
      const now = clock.monotonic();
      const expires = head.hand.startedAt + settings.times.claimMs;
      if (now > expires) {
        ready.shift();
        withdraw(head, WITHDRAWN_TOO_OLD);
        continue;
      }
      const at = own.rates.nextAt(campaign, line.ahead.get(campaign) ?? 0);
      if (at > now) return Math.min(at, expires + 1);
      ready.shift();
      send(head);
    }
    line.waiting.delete(campaign);
    return Infinity;
  };

  const pump = (org: OrganizationId): void => {
    const line = lineOf(org);
    line.timer?.cancel();
    line.timer = null;
    let next = Infinity;
    for (const [campaign, ready] of [...line.waiting]) next = Math.min(next, pumpCampaign(org, line, campaign, ready));
    if (next < Infinity) line.timer = clock.after(Math.max(0, next - clock.monotonic()), () => pump(org));
  };

  return {
    add: (ready) => {
      queue(ready, false);
      pump(ready.org);
    },
    pump,
    withdraw,
  };
};
