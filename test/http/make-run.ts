/** A run with one call, appended as the dialer would. */
import { randomBytes, randomUUID } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import { runStream } from '../../src/core/ids';
import { runDecider } from '../../src/domain/run/decider';
import type { Outcome } from '../../src/domain/run/events';
import { associatedData, CONTACT_FIELD, contactKeyId, sealBytes } from '../../src/engine/seal';
import type { HttpWorld } from '../support/http';

export interface MadeRun {
  readonly org: number;
  readonly campaign: number;
  readonly agent: number;
  readonly config: number;
  readonly run: number;
  readonly phone: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** null: the call is still ringing. */
  readonly outcome: Outcome | null;
  readonly seconds?: number;
}

export const makeRun = async ({ platform }: HttpWorld, made: MadeRun): Promise<void> => {
  const { org, run } = made;
  const page = randomUUID();
  const secret = randomBytes(32);
  await platform.vault.createPage(org, page, [secret]);
  const key = contactKeyId(page, 0);
  const contact = { phone_number: made.phone, variables: made.variables ?? { name: 'Ann' } };
  const plain = Buffer.from(JSON.stringify(contact));
  const call = {
    run_id: run,
    campaign_id: made.campaign,
    attempt: 1,
    retry: 0,
    variant_id: `${made.agent}:latest`,
    workflow_id: made.agent,
    definition_id: 1,
    version_number: 1,
    reference: randomBytes(16).toString('hex'),
    telephony_configuration_id: made.config,
    provider: 'ari',
    caller_phone_number_id: null,
    split_revision: 0,
    weight: 100,
    ring_seconds: 30,
    talk_seconds: 300,
    row: run,
    retry_reason: null,
    contact: {
      $sealed: sealBytes(secret, plain, associatedData(org, CONTACT_FIELD, key)).toString('base64'),
      key,
      field: CONTACT_FIELD,
    },
  };
  const stream = runStream(org, run);
  const at = new Date(platform.clock.now()).toISOString();
  const commands = [
    { type: 'AttemptCall', call },
    { type: 'RecordPlaced', attempt: 1, carrierCallId: `call-${run}` },
    ...(made.seconds === undefined ? [] : [{ type: 'RecordAnswered', attempt: 1, at, answeredBy: 'human' }]),
    ...(made.outcome === null
      ? []
      : [
          {
            type: 'RecordEnded',
            attempt: 1,
            outcome: made.outcome,
            at,
            durationSeconds: made.seconds ?? null,
            evidence: null,
            retry: null,
          },
        ]),
  ];
  for (const command of commands) {
    const done = await platform.execute.run(runDecider, stream, command as never, { actor: 'dialer' });
    if (isLeft(done)) throw new Error(JSON.stringify(done.left));
  }
};
