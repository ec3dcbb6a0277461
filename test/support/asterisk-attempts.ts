/** The attempts of a campaign as the ledger of a stopped platform tells them, for judges that know what each phone does. */
import { isLeft } from 'fp-ts/Either';
import { ledgerRuns } from '../../src/commands/story';
import { readConfig } from '../../src/config';
import { agentStream } from '../../src/core/ids';
import { START } from '../../src/core/position';
import type { LedgerRun } from '../../src/demo/judge';
import { agentDecider } from '../../src/domain/agent/decider';
import type { Outcome, RunEvent } from '../../src/domain/run/events';
import type { Platform } from '../../src/engine/platform';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines } from '../../src/main';

/** The organization of a fresh folder. */
const ORG = 1;

export interface Attempt {
  readonly runId: number;
  /** 0-based place of the contact in the list. */
  readonly row: number;
  readonly attempt: number;
  readonly reference: string;
  /** Epoch ms of the claim and of the end, by the ledger's own times. */
  readonly claimedAt: number;
  endedAt: number | null;
  withdrawn: boolean;
  answeredBy: 'human' | 'machine' | null;
  outcome: Outcome | null;
  durationSeconds: number | null;
  detail: string;
}

export interface LedgerView {
  readonly runs: readonly LedgerRun[];
  readonly attempts: readonly Attempt[];
}

const withPlatform = async <A>(folder: string, use: (platform: Platform) => Promise<A>): Promise<A> => {
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  const opened = await openEngines(config.right, silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  try {
    return await use(opened.right.platform);
  } finally {
    await opened.right.close();
  }
};

/** Makes an agent's draft its published version. The folder's platform must be stopped. */
export const publishDraft = (folder: string, agent: number): Promise<void> =>
  withPlatform(folder, async (platform) => {
    const command = {
      type: 'PublishDraft',
      versionName: null,
      changeDescription: null,
      takenTriggerPaths: [],
    } as const;
    const done = await platform.execute.run(agentDecider, agentStream(ORG, agent), command, { actor: 'test' });
    if (isLeft(done)) throw new Error(JSON.stringify(done.left));
  });

/** Every attempt of the folder's organization, and the runs of the campaign. The folder's platform must be stopped. */
export const ledgerView = (folder: string, campaign: number): Promise<LedgerView> =>
  withPlatform(folder, async (platform) => {
    const attempts = new Map<string, Attempt>();
    for (let after = START; ;) {
      const batch = await platform.events.readAll({ after, categories: ['run'], limit: 5000 });
      for (const recorded of batch.events)
        fold(attempts, { type: recorded.type, data: recorded.data } as unknown as RunEvent, recorded.metadata.at);
      after = batch.position;
      if (batch.caughtUp) break;
    }
    return { runs: await ledgerRuns(platform, campaign), attempts: [...attempts.values()] };
  });

const fold = (attempts: Map<string, Attempt>, event: RunEvent, at: string): void => {
  const key = `${event.data.run_id}/${event.data.attempt}`;
  if (event.type === 'CallAttempted')
    attempts.set(key, {
      runId: event.data.run_id,
      row: event.data.row,
      attempt: event.data.attempt,
      reference: event.data.reference,
      claimedAt: Date.parse(at),
      endedAt: null,
      withdrawn: false,
      answeredBy: null,
      outcome: null,
      durationSeconds: null,
      detail: '',
    });
  const attempt = attempts.get(key);
  if (attempt === undefined) return;
  if (event.type === 'CallWithdrawn') attempt.withdrawn = true;
  if (event.type === 'CallUncertain') attempt.detail = event.data.reason;
  if (event.type === 'CallAnswered') attempt.answeredBy = event.data.answered_by;
  if (event.type === 'CallRefused') {
    attempt.outcome = 'failed';
    attempt.detail = `${event.data.code}: ${event.data.message}`;
    attempt.endedAt = Date.parse(at);
  }
  if (event.type === 'CallEnded') {
    attempt.outcome = event.data.outcome;
    attempt.durationSeconds = event.data.duration_seconds;
    attempt.detail = JSON.stringify(event.data.evidence);
    attempt.endedAt = Date.parse(at);
  }
};
