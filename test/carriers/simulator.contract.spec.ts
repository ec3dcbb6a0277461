import { ariCarrier } from '../../src/carriers/ari';
import { startSimulator } from '../../src/carriers/simulator';
import { carrierContract } from '../contract/carrier';
import { ariPeerContract } from '../contract/carrier-ari';

carrierContract('the simulator', async () => {
  const timeScale = 0.1;
  const simulator = await startSimulator({ mode: 'by-digit', timeScale });
  return {
    carrier: ariCarrier({
      amdContext: 'amdback',
      timing: {
        placeTimeoutMs: 400,
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
    restart: (how) => simulator.restart(how, 150, 100),
    channels: async () => {
      const authorization = `Basic ${Buffer.from('ledgerline:secret').toString('base64')}`;
      const reply = await fetch(`${simulator.url}/ari/channels`, { headers: { authorization } });
      return ((await reply.json()) as { id: string }[]).map(({ id }) => id);
    },
    stop: () => simulator.close(),
  };
});

ariPeerContract('the simulator', async () => {
  const simulator = await startSimulator({ mode: 'by-digit', timeScale: 0.1 });
  return {
    url: () => simulator.url,
    user: simulator.user,
    password: simulator.password,
    timeScale: 0.1,
    stop: () => simulator.close(),
  };
});
