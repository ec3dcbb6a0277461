/** The platform as one process with the feed and the leases of its dialer on NATS and all else embedded. */
import { withEngine } from '../support/engines';
import { siteSuites } from './suites';

withEngine('nats', {}, (engine) =>
  siteSuites('alone', { retries: 0, kills: 5 }, () => ({ engines: { nats: engine().url }, roles: { all: 1 } })),
);
