/** The platform as several processes that share nothing but served engines. */
import { urlsOf, withEveryEngine } from '../support/engines';
import { siteSuites } from './suites';

withEveryEngine({}, (engines) =>
  siteSuites('together', { retries: 1, kills: 7 }, () => ({
    engines: urlsOf(engines()),
    roles: { api: 1, relay: 1, projector: 1, dialer: 2 },
  })),
);
