/**
 * Seals batches here, or in a thread of its own: of a long list sealing is half of the import's work, and would keep the event loop from
 * placing calls meanwhile.
 */
import * as crypto from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type * as threads from 'node:worker_threads';
import type { OrganizationId } from '../core/ids';
import {
  batchToSeal,
  newPage,
  sealedBatch,
  sealTexts,
  type QueuedContact,
  type SealedBatch,
  type SealedTexts,
  type ToSealBatch,
} from './seal-batch';

export interface Sealer {
  /** Never rejects. */
  seal(org: OrganizationId, batch: readonly QueuedContact[]): Promise<SealedBatch>;
  close(): void;
}

export const sealHere: Sealer = {
  seal: async (org, batch) => {
    const page = newPage();
    return sealedBatch(page, sealTexts(crypto, batchToSeal(org, page, batch)));
  },
  close: () => undefined,
};

/** Runs in the thread, from its source text. */
const answerBatches = (
  { parentPort }: typeof threads,
  seal: (crypto: unknown, batch: ToSealBatch) => SealedTexts,
  nodeCrypto: unknown,
): void => {
  parentPort?.on('message', (batch: ToSealBatch) => parentPort.postMessage(seal(nodeCrypto, batch)));
};

/** A thread that fails is done without: what it did not answer is sealed here. */
export const sealInThread = (): Sealer => {
  const source = `(${answerBatches.toString()})(require('node:worker_threads'), ${sealTexts.toString()}, require('node:crypto'))`;
  const waiting: { readonly batch: ToSealBatch; readonly done: (sealed: SealedTexts) => void }[] = [];
  let worker: Worker | null = new Worker(source, { eval: true, execArgv: [] });
  const doWithout = (): void => {
    worker = null;
    for (const { batch, done } of waiting.splice(0)) done(sealTexts(crypto, batch));
  };
  worker.on('message', (sealed: SealedTexts) => waiting.shift()?.done(sealed));
  worker.on('error', doWithout);
  worker.on('exit', doWithout);
  worker.unref();
  return {
    seal: async (org, contacts) => {
      const page = newPage();
      const batch = batchToSeal(org, page, contacts);
      const sealed = await new Promise<SealedTexts>((done) => {
        if (worker === null) return done(sealTexts(crypto, batch));
        waiting.push({ batch, done });
        worker.postMessage(batch);
      });
      return sealedBatch(page, sealed);
    },
    close: () => void worker?.terminate(),
  };
};
