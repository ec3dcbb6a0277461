import { embeddedLeases } from '../../src/adapters/embedded/leases';
import { leasesContract } from '../contract/leases';

leasesContract('embedded', {
  create: async () => ({ adapter: embeddedLeases(), dispose: async () => undefined }),
});
