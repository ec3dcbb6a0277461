/** Carries out what the policy says about calls that nobody looks after. Each step is safe to repeat, by this process and by another. */
import { isRight } from 'fp-ts/Either';
import { runStream, type OrganizationId } from '../core/ids';
import type { CallEvidence, KnownCall } from '../ports/carrier';
import type { RunCommand } from '../domain/run/commands';
import { burnDecider, untilAnswered } from './commands';
import type { CampaignState, InFlightCall, OrganizationState } from './model';
import { WITHDRAWN_ABANDONED } from './reasons';
import type { CallAction } from './review';
import { LINGER_MARGIN, UNREACHABLE } from './run-fold';
import type { Shell } from './shell';
import { detectsMachines, requestRef, unclaimedRef } from './turns';

export const knownCall = (call: InFlightCall, campaign: CampaignState | undefined): KnownCall | null =>
  call.claim === null
    ? null
    : {
        reference: call.claim.reference,
        placed: call.phase === 'placed' || call.phase === 'ringing' || call.phase === 'answered',
        answered: call.answered,
        talkSeconds: call.claim.talkSeconds,
        detectMachine: campaign !== undefined && detectsMachines(campaign),
        claimedAt: call.claimedAt,
        ringSeconds: call.claim.ringSeconds,
      };

export interface Recovery {
  /** Resolves when it is done; never rejects. */
  carryOut(org: OrganizationState, action: CallAction): Promise<void>;
}

export const callRecovery = (shell: Shell): Recovery => {
  const { platform, connections, news, following } = shell;
  const { clock, execute } = platform;

  const withdraw = async (org: OrganizationState, call: InFlightCall): Promise<void> => {
    const campaign = call.campaign === null ? undefined : org.campaigns.get(call.campaign);
    const request = org.requests.get(call.run);
    const ref =
      campaign !== undefined
        ? unclaimedRef(org, campaign, call)
        : request !== undefined
          ? requestRef(request, call.attempt)
          : null;
    if (ref === null) return;
    const answer = await untilAnswered(clock, shell.signal, () =>
      execute.run(
        burnDecider,
        runStream(org.id, call.run),
        { type: 'WithdrawCall', call: ref, reason: WITHDRAWN_ABANDONED },
        { actor: 'dialer' },
        { assumeNew: call.attempt === 1 && request === undefined },
      ),
    );
    if (isRight(answer))
      platform.log.info({ org: org.id, run: call.run }, 'the claim of an ended process was given back');
  };

  const adopt = (org: OrganizationState, call: InFlightCall): void => {
    const campaign = call.campaign === null ? undefined : org.campaigns.get(call.campaign);
    const known = knownCall(call, campaign);
    if (known === null || call.claim === null) return;
    const config = org.configurations.get(call.claim.configuration);
    const connection = connections.get(org.id, call.claim.configuration);
    // Without a connection it is followed all the same: overdue, it is asked about and closed.
    following.set(known.reference, {
      org: org.id,
      run: call.run,
      attempt: call.attempt,
      campaign: call.campaign,
      reference: known.reference,
      provider: config?.provider ?? 'unknown',
    });
    connection?.adopt([known]);
  };

  const end = (org: OrganizationId, call: InFlightCall, evidence: CallEvidence): Promise<void> => {
    const command: RunCommand = {
      type: 'RecordEnded',
      attempt: call.attempt,
      outcome: 'uncertain',
      at: new Date(clock.now()).toISOString(),
      durationSeconds: null,
      evidence,
      retry: null,
    };
    return news.write(org, call.run, command, 'dialer');
  };

  const ask = async (org: OrganizationState, action: Extract<CallAction, { type: 'ask' }>): Promise<void> => {
    const { call } = action;
    if (call.claim === null) return;
    const { reference, configuration } = call.claim;
    shell.org(org.id).asked.set(reference, clock.monotonic());
    const connection = connections.get(org.id, configuration);
    const answer =
      connection === null
        ? ({ kind: 'unreachable', message: 'no connection' } as const)
        : await connection.ask(reference);
    switch (answer.kind) {
      case 'gone':
        return end(org.id, call, { state: 'gone', detail: 'the carrier knows no such call any more' });
      case 'alive':
        if (action.alive === 'hang_up') await connection?.hangUp(reference);
        else if (call.phase === 'uncertain')
          await news.write(
            org.id,
            call.run,
            { type: 'RecordPlaced', attempt: call.attempt, carrierCallId: null },
            'dialer',
          );
        return;
      case 'unreachable': {
        if (action.unreachable === 'wait') return;
        const limits = (call.claim.ringSeconds + call.claim.talkSeconds) * 1000 + LINGER_MARGIN;
        const over = clock.now() >= call.claimedAt + limits;
        return end(org.id, call, {
          state: over ? 'expired' : UNREACHABLE,
          detail: `the carrier could not be asked: ${answer.message}`,
        });
      }
    }
  };

  const askLingering = async (org: OrganizationId, reference: string, configuration: number): Promise<void> => {
    const own = shell.org(org);
    own.asked.set(reference, clock.monotonic());
    const answer = await connections.get(org, configuration)?.ask(reference);
    if (answer?.kind !== 'gone') return;
    own.gone.add(reference);
    shell.poke(org);
  };

  const guarded = async (org: OrganizationId, run: number, work: () => Promise<void>): Promise<void> => {
    const { busy } = shell.org(org);
    busy.add(`call/${run}`);
    try {
      await work();
    } finally {
      busy.delete(`call/${run}`);
    }
  };

  return {
    carryOut: async (org, action) => {
      switch (action.type) {
        case 'adopt':
          return adopt(org, action.call);
        case 'withdraw':
          return guarded(org.id, action.call.run, () => withdraw(org, action.call));
        case 'mark_uncertain': {
          const { run, attempt } = action.call;
          const reason = 'its process ended without writing what became of it';
          return guarded(org.id, run, () =>
            news.write(org.id, run, { type: 'RecordUncertain', attempt, reason }, 'dialer'),
          );
        }
        case 'ask':
          return guarded(org.id, action.call.run, () => ask(org, action));
        case 'ask_lingering':
          return askLingering(org.id, action.call.reference, action.call.configuration);
      }
    },
  };
};
