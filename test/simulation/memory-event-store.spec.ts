import { systemClock } from '../../src/adapters/embedded/clock';
import { eventStoreContract } from '../contract/event-store';
import { memoryEventStore } from '../support/memory-event-store';

eventStoreContract(
  'in memory, for simulations',
  {
    create: async () => {
      const adapter = memoryEventStore({ clock: systemClock() });
      return { adapter, dispose: () => adapter.close() };
    },
  },
  { runs: 10 },
);
