import { ariCarrier } from '../../src/carriers/ari';
import type { Simulator } from '../../src/carriers/simulator';
import { startSimulator } from '../../src/carriers/simulator';
import { carrierContract } from '../contract/carrier';
import { ariPeerContract } from '../contract/carrier-ari';
import type { CarrierPeer } from '../contract/carrier-harness';
import { witnessContract } from '../contract/carrier-witness';

const timeScale = 0.25;
const authorization = `Basic ${Buffer.from('ledgerline:secret').toString('base64')}`;

const peerOf = (simulator: Simulator, hangupContext: string | null): CarrierPeer => {
  return {
    carrier: ariCarrier({
      amdContext: 'amdback',
      hangupContext,
      timing: {
        placeTimeoutMs: 2_000,
        requestTimeoutMs: 1_000,
        askGapMs: 300,
        eventGraceMs: 100,
        endGraceMs: 300,
        reconnectMaxMs: 500,
      },
    }),
    port: () => simulator.port,
    host: '127.0.0.1',
    credentials: (url) => ({
      ari_endpoint: url,
      app_name: simulator.user,
      app_password: simulator.password,
      dial_string_template: 'PJSIP/{number}@trunk',
    }),
    wrongCredentials: { app_password: 'wrong' },
    unreachable: 'PJSIP/5550100@nowhere',
    timeScale,
    proofMs: 300,
    restart: (how: 'killed' | 'stopped') => simulator.restart(how, 150, 100),
    channels: async () => {
      const reply = await fetch(`${simulator.url}/ari/channels`, { headers: { authorization } });
      return ((await reply.json()) as { id: string }[]).map(({ id }) => id);
    },
    stop: () => simulator.close(),
  };
};

carrierContract('the simulator', async () => peerOf(await startSimulator({ mode: 'by-digit', timeScale }), null));

witnessContract('the simulator', async () => {
  const simulator = await startSimulator({ mode: 'by-digit', timeScale, hangupContexts: ['hg'] });
  const witnessOf = async (reference: string): Promise<string> => {
    const url = `${simulator.url}/ari/asterisk/variable?variable=R_${reference}`;
    const reply = await fetch(url, { headers: { authorization } });
    return ((await reply.json()) as { value: string }).value;
  };
  return { ...peerOf(simulator, 'hg'), witnessOf };
});

ariPeerContract('the simulator', async () => {
  const simulator = await startSimulator({ mode: 'by-digit', timeScale });
  return {
    url: () => simulator.url,
    user: simulator.user,
    password: simulator.password,
    timeScale,
    stop: () => simulator.close(),
  };
});
