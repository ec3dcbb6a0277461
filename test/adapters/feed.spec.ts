import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { embeddedFeed } from '../../src/adapters/embedded/feed';
import { feedContract } from '../contract/feed';
import { tempFolder } from '../support/temp';

feedContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    const events = await embeddedEventStore({ folder: folder.path });
    const adapter = embeddedFeed(events);
    return {
      adapter,
      events,
      dispose: async () => {
        await adapter.close();
        await events.close();
        await folder.remove();
      },
    };
  },
});
