import { embeddedReadStore } from '../../src/adapters/embedded/read-store';
import type { ReadStore } from '../../src/ports/read-store';
import { readStoreContract } from '../contract/read-store';
import { tempFolder } from '../support/temp';

readStoreContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    let store: ReadStore = await embeddedReadStore({ folder: folder.path });
    return {
      adapter: store,
      reopen: async () => {
        await store.close();
        store = await embeddedReadStore({ folder: folder.path });
        return store;
      },
      dispose: async () => {
        await store.close();
        await folder.remove();
      },
    };
  },
});
