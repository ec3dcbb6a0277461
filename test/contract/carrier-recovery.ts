/** The part of the carrier contract that is about gaps: peers that cannot be reached, lost events, requests without an answer, dead processes, restarts. */
import type { KnownCall } from '../../src/ports/carrier';
import type { Bench, CarrierPeer } from './carrier-harness';
import {
  answeredCall,
  eventually,
  newReference,
  numberEnding,
  person,
  proofTime,
  ringingCall,
  ringsForEver,
  stays,
} from './carrier-harness';

const known = (reference: string, more?: Partial<KnownCall>): KnownCall => ({
  reference,
  placed: false,
  answered: false,
  talkSeconds: 20,
  detectMachine: false,
  claimedAt: Date.now(),
  ringSeconds: 5,
  ...more,
});

/** To be called inside a `describe`; `now` gives the peer and the bench once they have been started. */
export const recoveryContract = (now: () => { readonly peer: CarrierPeer; readonly bench: Bench }): void => {
  let peer: CarrierPeer;
  let bench: Bench;
  beforeAll(() => {
    ({ peer, bench } = now());
  });

  describe('while the peer cannot be reached', () => {
    it('it is not ready, places nothing, and is ready again when the peer is back', async () => {
      const line = await bench.line();
      await line.wire.cut();
      await eventually('it is not ready', 5_000, () => !line.connection.readiness().ready);
      const { result } = await line.place(person);
      expect(result).toMatchObject({ kind: 'not_now', retryAfterMs: expect.any(Number) as number });
      expect(line.wire.placed()).toEqual([]);
      await line.wire.mend();
      await eventually('it is ready again', 15_000, () => line.connection.readiness().ready);
      expect(line.readiness.at(-1)).toEqual({ ready: true });
      const { reference } = await line.place(numberEnding(9));
      expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'failed' });
    }, 30_000);
  });

  describe('after a gap in the events', () => {
    it('goes on with calls that ring and calls that talk', async () => {
      const line = await bench.line();
      const rings = await ringingCall(line);
      const talks = await answeredCall(line);
      line.wire.dropEvents(false);
      await eventually('the gap is seen', 5_000, () => !line.connection.readiness().ready);
      await eventually('it is ready again', 15_000, () => line.connection.readiness().ready);
      await Promise.all([line.connection.hangUp(rings), line.connection.hangUp(talks)]);
      expect(await line.heard(rings, 'ended')).toMatchObject({ outcome: 'canceled' });
      expect(await line.heard(talks, 'ended')).toMatchObject({ outcome: 'completed' });
      expect(line.kinds(rings)).toEqual(['ringing', 'ended']);
      expect(line.kinds(talks)).toEqual(['ringing', 'answered', 'ended']);
    }, 30_000);

    it('a call that was answered and dropped meanwhile is uncertain, never no_answer', async () => {
      const line = await bench.line();
      const { reference } = await line.place(stays, { ringSeconds: 30 });
      line.wire.dropEvents(true);
      await eventually('the carrier dropped it', 10_000, async () => !(await peer.channels()).includes(reference));
      line.wire.allowEvents();
      expect(await line.heard(reference, 'ended', proofTime(peer) + 10_000)).toMatchObject({ outcome: 'uncertain' });
    }, 30_000);

    it('a call that was known as answered stays completed when its end was missed', async () => {
      const line = await bench.line();
      const { reference } = await line.place(person);
      await line.heard(reference, 'answered');
      line.wire.dropEvents(true);
      await eventually('it is over', 10_000, async () => !(await peer.channels()).includes(reference));
      line.wire.allowEvents();
      expect(await line.heard(reference, 'ended', proofTime(peer) + 10_000)).toMatchObject({ outcome: 'completed' });
    }, 30_000);
  });

  describe('a place request without an answer', () => {
    it('is unknown; the news of a call that came of it follow', async () => {
      const line = await bench.line();
      line.wire.hold();
      const { reference, result } = await line.place(ringsForEver, { ringSeconds: 30 });
      expect(result).toMatchObject({ kind: 'unknown' });
      line.wire.release();
      await line.heard(reference, 'ringing');
      await line.connection.hangUp(reference);
      expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'canceled' });
      expect(line.wire.placed()).toEqual([reference]);
    }, 30_000);

    it('that never arrived is unknown, then uncertain, and never sent again', async () => {
      const line = await bench.line();
      line.wire.hold();
      const { reference, result } = await line.place(person);
      expect(result).toMatchObject({ kind: 'unknown' });
      line.wire.discard();
      expect(await line.heard(reference, 'ended', proofTime(peer) + 5_000)).toMatchObject({ outcome: 'uncertain' });
      expect(line.wire.placed()).toEqual([reference]);
    }, 30_000);

    it('is answered by the call’s own events, if they come', async () => {
      const line = await bench.line();
      line.wire.deafen(true);
      const { reference, result } = await line.place(numberEnding(5));
      expect(result).toMatchObject({ kind: 'placed' });
      line.wire.deafen(false);
      expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'busy' });
      expect(line.wire.placed()).toEqual([reference]);
    }, 30_000);
  });

  describe('a fresh connection', () => {
    it('takes over the calls of one that died: one rings, one talks, one is over', async () => {
      const installation = `heir${newReference().slice(0, 8)}`;
      const dead = await bench.line({ installation });
      const rings = await ringingCall(dead);
      const talks = await answeredCall(dead);
      const over = newReference();
      await dead.wire.cut();
      const heir = await bench.line({ installation, ready: false });
      heir.connection.adopt([known(rings, { ringSeconds: 30 }), known(talks, { answered: true }), known(over)]);
      await eventually('it is ready', 10_000, () => heir.connection.readiness().ready);
      expect(await heir.heard(over, 'ended', proofTime(peer))).toMatchObject({ outcome: 'uncertain' });
      await Promise.all([heir.connection.hangUp(rings), heir.connection.hangUp(talks)]);
      expect(await heir.heard(rings, 'ended')).toMatchObject({ outcome: 'canceled' });
      expect(await heir.heard(talks, 'ended')).toMatchObject({ outcome: 'completed' });
      expect(heir.kinds(talks)).toEqual(['ended']);
      expect(heir.wire.placed()).toEqual([]);
    }, 40_000);

    it('finds out the machine that the dead one was talking to', async () => {
      const installation = `heir${newReference().slice(0, 8)}`;
      const dead = await bench.line({ installation });
      const { reference } = await dead.place(numberEnding(7));
      await dead.heard(reference, 'answered');
      await dead.wire.cut();
      const heir = await bench.line({ installation });
      heir.connection.adopt([known(reference, { placed: true, detectMachine: true })]);
      expect(await heir.heard(reference, 'ended')).toMatchObject({ outcome: 'voicemail' });
    }, 40_000);

    it('does not look for a machine once the answer was told: they may be talking', async () => {
      const installation = `heir${newReference().slice(0, 8)}`;
      const dead = await bench.line({ installation });
      const { reference } = await dead.place(numberEnding(7));
      await dead.heard(reference, 'answered');
      await dead.wire.cut();
      const heir = await bench.line({ installation });
      heir.connection.adopt([known(reference, { placed: true, answered: true, detectMachine: true })]);
      await new Promise((resolve) => setTimeout(resolve, bench.seconds(4)));
      expect(await heir.connection.ask(reference)).toEqual({ kind: 'alive', answered: true });
      await heir.connection.hangUp(reference);
      expect(await heir.heard(reference, 'ended')).toMatchObject({ outcome: 'completed' });
    }, 40_000);

    it('needs no second word for the end of a call that the carrier had', async () => {
      const heir = await bench.line();
      const [had, perhaps] = [newReference(), newReference()];
      heir.connection.adopt([known(had, { placed: true }), known(perhaps)]);
      expect(await heir.heard(had, 'ended', proofTime(peer))).toMatchObject({ outcome: 'uncertain' });
      expect(heir.kinds(perhaps)).toEqual([]);
      expect(await heir.heard(perhaps, 'ended', proofTime(peer))).toMatchObject({ outcome: 'uncertain' });
    }, 40_000);

    it('silences the one before it, which says so and places nothing', async () => {
      const installation = `heir${newReference().slice(0, 8)}`;
      const first = await bench.line({ installation });
      const second = await bench.line({ installation });
      await eventually('the first knows', 5_000, () => !first.connection.readiness().ready);
      expect(first.connection.readiness()).toMatchObject({ reason: expect.stringMatching(/nother client/) as string });
      expect((await first.place(person)).result).toMatchObject({ kind: 'not_now' });
      const { reference } = await second.place(numberEnding(9));
      expect(await second.heard(reference, 'ended')).toMatchObject({ outcome: 'failed' });
    }, 40_000);

    it('tells the answer that the dead one did not hear', async () => {
      const installation = `heir${newReference().slice(0, 8)}`;
      const dead = await bench.line({ installation });
      const talks = await answeredCall(dead);
      await dead.wire.cut();
      const heir = await bench.line({ installation });
      heir.connection.adopt([known(talks)]);
      await heir.heard(talks, 'answered');
      await heir.connection.hangUp(talks);
      expect(await heir.heard(talks, 'ended')).toMatchObject({ outcome: 'completed' });
    }, 40_000);
  });

  describe('when the carrier is restarted', () => {
    it('in order, the calls that rang have failed', async () => {
      const line = await bench.line();
      const rings = await ringingCall(line);
      await peer.restart('stopped');
      line.wire.retarget(peer.port());
      expect(await line.heard(rings, 'ended', 30_000)).toMatchObject({ outcome: 'failed' });
    }, 90_000);

    it('by a kill, calls that rang are uncertain, calls that talked were answered, and calls can be placed again', async () => {
      const line = await bench.line();
      const rings = await ringingCall(line);
      const talks = await answeredCall(line);
      await peer.restart('killed');
      line.wire.retarget(peer.port());
      expect(await line.heard(rings, 'ended', 30_000)).toMatchObject({ outcome: 'uncertain' });
      expect(await line.heard(talks, 'ended', 30_000)).toMatchObject({ outcome: 'completed' });
      await eventually('it is ready again', 30_000, () => line.connection.readiness().ready);
      const { reference, result } = await line.place(numberEnding(5));
      expect(result).toMatchObject({ kind: 'placed' });
      expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'busy' });
    }, 90_000);
  });
};
