import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import type { EventStore } from '../../src/ports/event-store';
import { eventStoreContract } from '../contract/event-store';
import { tempFolder } from '../support/temp';

eventStoreContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    let store: EventStore = await embeddedEventStore({ folder: folder.path });
    return {
      adapter: store,
      reopen: async () => {
        await store.close();
        store = await embeddedEventStore({ folder: folder.path });
        return store;
      },
      dispose: async () => {
        await store.close();
        await folder.remove();
      },
    };
  },
});
