/** The platform as one process with its read models in MongoDB, and its vault embedded or there too. */
import { withEngine } from '../support/engines';
import { siteSuites } from './suites';

withEngine('mongo', {}, (engine) => {
  siteSuites('alone, with the embedded vault', { retries: 0, kills: 5 }, () => ({
    engines: { mongo: engine().url },
    roles: { all: 1 },
    env: { VAULT_MASTER_KEY: '' },
  }));
  siteSuites('alone, with its vault', { retries: 0, kills: 5 }, () => ({
    engines: { mongo: engine().url },
    roles: { all: 1 },
  }));
});
