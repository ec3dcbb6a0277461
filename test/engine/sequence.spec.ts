import { isLeft, left, type Either } from 'fp-ts/Either';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { systemClock } from '../../src/adapters/embedded/clock';
import type { Failure } from '../../src/core/failure';
import { executor } from '../../src/engine/execute';
import { sequenceEvents } from '../../src/engine/sequence-events';
import { sequences, type Sequences } from '../../src/engine/sequence';
import type { EventStore } from '../../src/ports/event-store';
import { tempFolder, type TempFolder } from '../support/temp';

let folder: TempFolder;
let ledger: EventStore;
beforeEach(async () => {
  folder = await tempFolder();
  ledger = await embeddedEventStore({ folder: folder.path });
});
afterEach(async () => {
  await ledger.close();
  await folder.remove();
});

const aProcess = (store: EventStore = ledger): Sequences =>
  sequences(executor({ store, clock: systemClock(), catalog: sequenceEvents }));
const idOf = (answer: Either<Failure, number>): number => {
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
};

it('gives ids from 1 on, each once, over several processes and a restart', async () => {
  const ids: number[] = [];
  for (let restart = 0; restart < 2; restart++) {
    const processes = [aProcess(), aProcess(), aProcess()];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (processes[i % 3] as Sequences).next('agent')),
    );
    ids.push(...taken.map(idOf));
  }
  expect(ids).toHaveLength(120);
  expect(new Set(ids).size).toBe(120);
  expect(Math.min(...ids)).toBe(1);
  expect(ids.every(Number.isSafeInteger)).toBe(true);
});

it('counts each kind by itself', async () => {
  const process = aProcess();
  expect([
    idOf(await process.next('agent')),
    idOf(await process.next('campaign')),
    idOf(await process.next('agent')),
  ]).toEqual([1, 1, 2]);
});

it('costs an append for a block of ids, not for each', async () => {
  let appends = 0;
  const process = aProcess({ ...ledger, append: (...append) => (appends++, ledger.append(...append)) });
  for (let i = 0; i < 100; i++) await process.next('run');
  expect(appends).toBe(1);
});

it('gives blocks that touch neither each other nor single ids', async () => {
  const processes = [aProcess(), aProcess()];
  const sizes = [1000, 1, 250, 30, 7, 500];
  const blocks = await Promise.all(
    sizes.map(async (size, i) => {
      const first = idOf(await (processes[i % 2] as Sequences).block('run', size));
      return Array.from({ length: size }, (_, k) => first + k);
    }),
  );
  const singles = await Promise.all(processes.map(async (p) => idOf(await p.next('run'))));
  const all = [...blocks.flat(), ...singles];
  expect(all).toHaveLength(1790);
  expect(new Set(all).size).toBe(1790);
});

it('says why there is no id while the store is away, and has one afterwards', async () => {
  let isAway = true;
  const process = aProcess({
    ...ledger,
    append: async (...append) => (isAway ? left({ kind: 'unavailable', message: 'away' }) : ledger.append(...append)),
  });
  const answers = await Promise.all([process.next('organization'), process.next('organization')]);
  expect(answers).toEqual([1, 2].map(() => left({ kind: 'unavailable', message: 'away', stored: 'no' })));
  isAway = false;
  const ids = await Promise.all([process.next('organization'), process.next('organization')]);
  expect(ids.map(idOf).sort()).toEqual([1, 2]);
});
