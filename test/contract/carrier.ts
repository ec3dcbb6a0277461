/**
 * The contract of the `carrier` port, for any adapter whose peer's phones behave by the last digit of their number:
 * 0-3 a person who hangs up about 3 s after the answer, 4 answers and stays, 5 busy, 6 rings for ever, 7 an answering machine, 8 declines,
 * 9 unknown number.
 */
import type { CallOutcome } from '../../src/ports/carrier';
import type { Bench, CarrierPeer } from './carrier-harness';
import {
  answeredCall,
  eventually,
  newBench,
  newReference,
  numberEnding,
  person,
  proofTime,
  ringingCall,
  ringsForEver,
  stays,
} from './carrier-harness';
import { recoveryContract } from './carrier-recovery';

export const carrierContract = (name: string, start: () => Promise<CarrierPeer>): void => {
  describe(`${name} as a carrier`, () => {
    let peer: CarrierPeer;
    let bench: Bench;

    beforeAll(async () => {
      peer = await start();
      bench = newBench(peer);
    }, 120_000);
    afterEach(() => bench.clear());
    afterAll(() => peer.stop());

    describe('outcomes', () => {
      const expected: readonly (readonly [number, CallOutcome, readonly string[]])[] = [
        [0, 'completed', ['ringing', 'answered', 'ended']],
        [1, 'completed', ['ringing', 'answered', 'ended']],
        [2, 'completed', ['ringing', 'answered', 'ended']],
        [3, 'completed', ['ringing', 'answered', 'ended']],
        [4, 'completed', ['ringing', 'answered', 'ended']],
        [5, 'busy', ['ended']],
        [6, 'no_answer', ['ringing', 'ended']],
        [7, 'completed', ['ringing', 'answered', 'ended']],
        [8, 'failed', ['ringing', 'ended']],
        [9, 'failed', ['ended']],
      ];

      it('are right for all ten kinds of phone, each piece of news told once and in order', async () => {
        const line = await bench.line();
        const calls = await Promise.all(
          expected.map(
            async ([digit]) => (await line.place(numberEnding(digit), { ringSeconds: 3, talkSeconds: 5 })).reference,
          ),
        );
        const ends = await Promise.all(calls.map((reference) => line.heard(reference, 'ended')));
        expect(ends.map(({ outcome }) => outcome)).toEqual(expected.map(([, outcome]) => outcome));
        expect(calls.map(line.kinds)).toEqual(expected.map(([, , kinds]) => kinds));
        expect(line.wire.placed()).toHaveLength(10);
      }, 30_000);

      it('carry the carrier’s evidence, and a duration only when the call was answered', async () => {
        const line = await bench.line();
        const [busy, talked] = await Promise.all([line.place(numberEnding(5)), line.place(person)]);
        const busyEnd = await line.heard(busy.reference, 'ended');
        expect(busyEnd).toMatchObject({ durationSeconds: null, evidence: { cause: 17, tech_cause: 486 } });
        const talkedEnd = await line.heard(talked.reference, 'ended');
        expect(talkedEnd.evidence).toMatchObject({ state: 'Up' });
        const nominal = bench.seconds(3) / 1000;
        expect(talkedEnd.durationSeconds).toBeGreaterThan(nominal * 0.7);
        expect(talkedEnd.durationSeconds).toBeLessThan(nominal * 1.5 + 1);
        expect(new Date(talkedEnd.at).toISOString()).toBe(talkedEnd.at);
      }, 30_000);

      it('tell answering machines from persons where detection is wanted, and hang up on a machine', async () => {
        const line = await bench.line();
        const machine = await line.place(numberEnding(7), { detectMachine: true });
        const human = await line.place(person, { detectMachine: true });
        expect(await line.heard(machine.reference, 'answered')).toMatchObject({ answeredBy: 'machine' });
        expect(await line.heard(machine.reference, 'ended')).toMatchObject({ outcome: 'voicemail' });
        expect(await line.heard(human.reference, 'answered')).toMatchObject({ answeredBy: 'human' });
        expect(await line.heard(human.reference, 'ended')).toMatchObject({ outcome: 'completed' });
        expect(await peer.channels()).not.toContain(machine.reference);
      }, 30_000);

      it('say nothing of who answered where detection is not wanted', async () => {
        const line = await bench.line();
        const reference = await answeredCall(line);
        expect(await line.heard(reference, 'answered')).toMatchObject({ answeredBy: null });
        await line.connection.hangUp(reference);
        await line.heard(reference, 'ended');
      }, 30_000);

      it('come at the ring timeout, no sooner and not much later', async () => {
        const line = await bench.line();
        const began = performance.now();
        const { reference } = await line.place(ringsForEver, { ringSeconds: 3 });
        expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'no_answer' });
        const took = performance.now() - began;
        expect(took).toBeGreaterThan(bench.seconds(3) * 0.9);
        expect(took).toBeLessThan(bench.seconds(3) + 1_500);
      }, 30_000);

      it('come at the talk limit, counted from the answer', async () => {
        const line = await bench.line();
        const { reference } = await line.place(stays, { talkSeconds: 2, ringSeconds: 20 });
        await line.heard(reference, 'answered');
        const end = await line.heard(reference, 'ended');
        expect(end.outcome).toBe('completed');
        expect(end.durationSeconds).toBeGreaterThan((bench.seconds(2) / 1000) * 0.7);
        expect(end.durationSeconds).toBeLessThan(bench.seconds(2) / 1000 + 1.5);
      }, 30_000);

      it('of who says nothing are those of a person, at the talk limit, where detection is wanted, too', async () => {
        const line = await bench.line();
        const { reference } = await line.place(stays, { talkSeconds: 4, ringSeconds: 20, detectMachine: true });
        expect(await line.heard(reference, 'answered')).toMatchObject({ answeredBy: null });
        const end = await line.heard(reference, 'ended');
        expect(end.outcome).toBe('completed');
        expect(end.durationSeconds).toBeGreaterThan((bench.seconds(4) / 1000) * 0.7);
        expect(end.durationSeconds).toBeLessThan(bench.seconds(4) / 1000 + 1.5);
      }, 30_000);
    });

    describe('a hang-up', () => {
      it('before the answer makes the call canceled', async () => {
        const line = await bench.line();
        const reference = await ringingCall(line);
        expect(await line.connection.hangUp(reference)).toBe(true);
        expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'canceled', durationSeconds: null });
      }, 30_000);

      it('right after the place request reaches the call', async () => {
        const line = await bench.line();
        const { reference } = await line.place(ringsForEver, { ringSeconds: 30 });
        await line.connection.hangUp(reference);
        expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'canceled' });
      }, 30_000);

      it('after the answer leaves the call completed', async () => {
        const line = await bench.line();
        const reference = await answeredCall(line);
        expect(await line.connection.hangUp(reference)).toBe(true);
        expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'completed' });
      }, 30_000);

      it('of a call that is over is taken, and brings no further news', async () => {
        const line = await bench.line();
        const { reference } = await line.place(numberEnding(9));
        await line.heard(reference, 'ended');
        expect(await line.connection.hangUp(reference)).toBe(true);
        expect(line.kinds(reference).filter((kind) => kind === 'ended')).toHaveLength(1);
      }, 30_000);
    });

    describe('asked about a call', () => {
      it('it says alive while it rings, answered once it is, gone after its end', async () => {
        const line = await bench.line();
        const rings = await ringingCall(line);
        expect(await line.connection.ask(rings)).toEqual({ kind: 'alive', answered: false });
        const talks = await answeredCall(line);
        expect(await line.connection.ask(talks)).toEqual({ kind: 'alive', answered: true });
        await Promise.all([line.connection.hangUp(rings), line.connection.hangUp(talks)]);
        await Promise.all([line.heard(rings, 'ended'), line.heard(talks, 'ended')]);
        expect(await line.connection.ask(talks)).toEqual({ kind: 'gone' });
      }, 30_000);

      it('of another connection that never was, it takes more than one word for proof', async () => {
        const line = await bench.line();
        const reference = newReference();
        expect(await line.connection.ask(reference)).toMatchObject({ kind: 'unreachable' });
        await eventually(
          'gone is proven',
          proofTime(peer),
          async () => (await line.connection.ask(reference)).kind === 'gone',
        );
      }, 30_000);

      it('of a call that it lost sight of, it says gone only when the end has been told', async () => {
        const line = await bench.line();
        const { reference } = await line.place(stays, { ringSeconds: 30 });
        line.wire.dropEvents(true);
        await eventually('the carrier dropped it', 10_000, async () => !(await peer.channels()).includes(reference));
        await eventually(
          'it is gone',
          proofTime(peer),
          async () => (await line.connection.ask(reference)).kind === 'gone',
        );
        expect(line.kinds(reference).at(-1)).toBe('ended');
      }, 30_000);

      it('while the peer cannot be reached, it says so', async () => {
        const line = await bench.line();
        const reference = await ringingCall(line);
        await line.wire.cut();
        expect(await line.connection.ask(reference)).toMatchObject({ kind: 'unreachable' });
      }, 30_000);
    });

    describe('a place request', () => {
      it('is not sent when the last question is answered with no', async () => {
        const line = await bench.line();
        let asked = 0;
        const call = { to: person, callerId: null, ringSeconds: 5, talkSeconds: 5, detectMachine: false, tags: {} };
        const result = await line.connection.place({ ...call, reference: newReference() }, () => {
          asked += 1;
          return false;
        });
        expect(result).toEqual({ kind: 'withheld' });
        expect(asked).toBe(1);
        expect(line.wire.placed()).toEqual([]);
      });

      it('is not sent when the last question fails', async () => {
        const line = await bench.line();
        const call = { to: person, callerId: null, ringSeconds: 5, talkSeconds: 5, detectMachine: false, tags: {} };
        const result = await line.connection.place({ ...call, reference: newReference() }, () => {
          throw new Error('no answer');
        });
        expect(result).toEqual({ kind: 'withheld' });
        expect(line.wire.placed()).toEqual([]);
      });

      it('asks exactly once, and counts as being placed from then until its answer', async () => {
        const line = await bench.line();
        const counts: number[] = [];
        const call = {
          to: numberEnding(9),
          callerId: null,
          ringSeconds: 5,
          talkSeconds: 5,
          detectMachine: false,
          tags: {},
        };
        const reference = newReference();
        line.wire.hold();
        const placing = line.connection.place({ ...call, reference }, () => {
          counts.push(line.connection.placing());
          return true;
        });
        await eventually('the request is on its way', 5_000, () => line.wire.placed().includes(reference));
        expect(counts).toEqual([0]);
        expect(line.connection.placing()).toBe(1);
        line.wire.release();
        expect(await placing).toMatchObject({ kind: 'placed' });
        expect(line.connection.placing()).toBe(0);
      });

      it.each(['', '+1555 0100', '+15550100,+15550101', '+15550100&+15550101', '+1555\u00070'])(
        'to a destination that cannot be one is refused without being sent: %j',
        async (to) => {
          const line = await bench.line();
          expect((await line.place(to)).result).toMatchObject({ kind: 'refused' });
          expect(line.wire.placed()).toEqual([]);
        },
      );

      it('to what the peer cannot reach is refused, with no news and no number in the message', async () => {
        const line = await bench.line();
        const { reference, result } = await line.place(peer.unreachable);
        expect(result).toMatchObject({ kind: 'refused', code: expect.any(String) as string });
        expect(JSON.stringify(result)).not.toContain('5550100');
        expect(line.kinds(reference)).toEqual([]);
      });

      it('is never sent twice for one reference', async () => {
        const line = await bench.line();
        const { reference } = await line.place(ringsForEver);
        expect((await line.place(person, { reference })).result).toMatchObject({ kind: 'unknown' });
        await line.connection.hangUp(reference);
        await line.heard(reference, 'ended');
        expect((await line.place(person, { reference })).result).toMatchObject({ kind: 'unknown' });
        expect(line.wire.placed()).toEqual([reference]);
      }, 30_000);
    });

    describe('without credentials that are accepted', () => {
      it('nothing is sent, and the reason can be read', async () => {
        const line = await bench.line({ wrong: true, ready: false });
        await eventually('the refusal is known', 5_000, () => {
          const readiness = line.connection.readiness();
          return !readiness.ready && /password/.test(readiness.reason);
        });
        expect((await line.place(person)).result).toMatchObject({ kind: 'not_now' });
        expect(line.wire.placed()).toEqual([]);
      });
    });

    describe('closed', () => {
      it('it places nothing and says nothing more', async () => {
        const line = await bench.line();
        const reference = await ringingCall(line);
        await line.connection.close();
        const told = line.news.length;
        expect((await line.place(person)).result).toMatchObject({ kind: 'not_now' });
        expect(await line.connection.ask(reference)).toMatchObject({ kind: expect.any(String) as string });
        expect(line.news).toHaveLength(told);
        expect(line.wire.placed()).toEqual([reference]);
      }, 30_000);
    });

    describe('under a crowd of calls', () => {
      it('tells one end of each, and the carrier has none left', async () => {
        const line = await bench.line();
        const digits = [0, 1, 2, 3, 5, 8, 9];
        const outcomes: readonly CallOutcome[] = [
          'completed',
          'completed',
          'completed',
          'completed',
          'busy',
          'failed',
          'failed',
        ];
        const calls = await Promise.all(
          Array.from({ length: 56 }, async (_, i) => {
            const { reference, result } = await line.place(`+1666${i}${digits[i % 7] ?? 0}`);
            expect(result).toEqual({ kind: 'placed', carrierCallId: null });
            return reference;
          }),
        );
        const ends = await Promise.all(calls.map((reference) => line.heard(reference, 'ended')));
        expect(ends.map(({ outcome }) => outcome)).toEqual(calls.map((_, i) => outcomes[i % 7]));
        expect(line.news.filter(({ kind }) => kind === 'ended')).toHaveLength(56);
        expect([...line.wire.placed()].sort()).toEqual([...calls].sort());
        expect((await peer.channels()).filter((id) => calls.includes(id))).toEqual([]);
      }, 60_000);
    });

    recoveryContract(() => ({ peer, bench }));
  });
};
