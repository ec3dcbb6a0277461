/** The EventStoreDB adapter under the contract of its port. The server is the peer; `eventstoredb.containers.spec.ts` has it in a container. */
import { eventStoreDb } from '../../../src/adapters/production/eventstoredb';
import { silentLogger } from '../../../src/engine/telemetry';
import { eventStoreContract } from '../../contract/event-store';
import { noteEngine, reportedVersion } from '../../support/engine-versions';
import { startPeer } from '../../support/peer/server';
import { tempFolder } from '../../support/temp';

it('has a peer that says what it is', async () => {
  const folder = await tempFolder();
  const peer = await startPeer({ folder: folder.path, port: 0 });
  expect(await reportedVersion('eventstore', peer.url)).toMatch(/test peer/);
  await noteEngine('eventstore', peer.url, 'in process');
  await peer.stop();
  await folder.remove();
});

eventStoreContract(
  'EventStoreDB adapter over the peer',
  {
    create: async () => {
      const folder = await tempFolder();
      let peer = await startPeer({ folder: folder.path, port: 0 });
      const { port, url } = peer;
      const open = () => eventStoreDb({ url, log: silentLogger, sweepEvery: 300 });
      let adapter = open();
      return {
        adapter,
        reopen: async () => {
          await adapter.close();
          await peer.stop();
          peer = await startPeer({ folder: folder.path, port, notReadyFor: 100 });
          adapter = open();
          for (let ready = false; !ready;)
            ready = await adapter.ping().then(
              () => true,
              () => false,
            );
          return adapter;
        },
        dispose: async () => {
          await adapter.close();
          await peer.stop();
          await folder.remove();
        },
      };
    },
  },
  { runs: 5 },
);
