/**
 * The ARI adapter with a witness in the dialplan: a hangup handler that leaves each call's last state and cause in a global variable.
 * What a gap in the events would make uncertain is then known.
 */
import type { Bench, CarrierPeer } from './carrier-harness';
import { eventually, newBench } from './carrier-harness';

/** The dialplan of the witness. */
export const witnessDialplan = [
  '[hg]',
  'exten => s,1,Set(GLOBAL(R_${CHANNEL(uniqueid)})=${CHANNEL(state)}/${HANGUPCAUSE})',
  ' same => n,Return()',
  '',
].join('\n');

export const witnessContract = (
  name: string,
  start: () => Promise<CarrierPeer & { readonly witnessOf: (reference: string) => Promise<string> }>,
): void => {
  describe(`${name} with a witness in the dialplan`, () => {
    let peer: Awaited<ReturnType<typeof start>>;
    let bench: Bench;

    beforeAll(async () => {
      peer = await start();
      bench = newBench(peer);
    }, 120_000);
    afterEach(() => bench.clear());
    afterAll(() => peer.stop());

    it.each([
      ['was answered and dropped', '+15550104', 'completed'],
      ['was declined', '+15550108', 'failed'],
    ])(
      'tells the truth of a call that %s while nobody listened',
      async (_what, number, outcome) => {
        const line = await bench.line();
        const { reference } = await line.place(number, { ringSeconds: 30 });
        line.wire.dropEvents(true);
        await eventually('it is over', 10_000, async () => !(await peer.channels()).includes(reference));
        line.wire.allowEvents();
        expect(await line.heard(reference, 'ended', 20_000)).toMatchObject({ outcome });
      },
      40_000,
    );

    it('leaves nothing behind', async () => {
      const line = await bench.line();
      const { reference } = await line.place('+15550105');
      expect(await line.heard(reference, 'ended')).toMatchObject({ outcome: 'busy' });
      await eventually('it is cleared', 5_000, async () => (await peer.witnessOf(reference)) === '');
    }, 20_000);
  });
};
