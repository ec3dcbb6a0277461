import { ariCarrier } from '../../src/carriers/ari';
import { carrierContract } from '../contract/carrier';
import { ariPeerContract } from '../contract/carrier-ari';
import type { CarrierPeer } from '../contract/carrier-harness';
import { witnessContract, witnessDialplan } from '../contract/carrier-witness';
import type { Asterisk } from '../support/asterisk';
import { ariPassword, ariUser, asteriskAbsence, startAsterisk } from '../support/asterisk';

const absence = asteriskAbsence();

const peerOf = (asterisk: Asterisk, hangupContext: string | null): CarrierPeer => ({
  carrier: ariCarrier({
    amdContext: 'amdback',
    hangupContext,
    timing: { placeTimeoutMs: 1_500, askGapMs: 1_000, eventGraceMs: 300, reconnectMaxMs: 1_000 },
  }),
  port: asterisk.port,
  host: asterisk.host,
  credentials: (url) => ({
    ari_endpoint: url,
    app_name: ariUser,
    app_password: ariPassword,
    dial_string_template: 'PJSIP/{number}@trunk',
  }),
  wrongCredentials: { app_password: 'wrong' },
  unreachable: 'PJSIP/5550100@nowhere',
  timeScale: 1,
  proofMs: 1_000,
  restart: asterisk.restart,
  channels: asterisk.channels,
  stop: asterisk.stop,
});

if (absence !== null) it.skip(`a real Asterisk as a carrier (skipped: ${absence})`, () => undefined);
else {
  carrierContract('a real Asterisk', async () => peerOf(await startAsterisk(), null));

  witnessContract('a real Asterisk', async () => {
    const asterisk = await startAsterisk(witnessDialplan);
    return { ...peerOf(asterisk, 'hg'), witnessOf: (reference) => asterisk.variable(`R_${reference}`) };
  });

  ariPeerContract('a real Asterisk', async () => {
    const asterisk = await startAsterisk();
    return {
      url: () => `http://${asterisk.host}:${asterisk.port()}`,
      user: ariUser,
      password: ariPassword,
      timeScale: 1,
      stop: asterisk.stop,
    };
  });
}
