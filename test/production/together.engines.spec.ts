/** The platform as several processes that share nothing but served engines. */
import { withEngine } from '../support/engines';
import { siteSuites } from './suites';

withEngine('eventstore', {}, (eventstore) =>
  withEngine('mongo', {}, (mongo) =>
    withEngine('nats', {}, (nats) =>
      withEngine('s3', {}, (s3) =>
        siteSuites('together', { retries: 1, kills: 7 }, () => ({
          engines: { eventstore: eventstore().url, mongo: mongo().url, nats: nats().url, s3: s3().url },
          roles: { api: 1, relay: 1, projector: 1, dialer: 2 },
        })),
      ),
    ),
  ),
);
