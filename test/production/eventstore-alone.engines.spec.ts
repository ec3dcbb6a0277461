/** The platform as one process with its ledger in EventStoreDB and all else embedded. */
import { withEngine } from '../support/engines';
import { siteSuites } from './suites';

// A named server keeps one ledger, and the first one is for the installation on served engines only.
withEngine('eventstore', { nth: 1 }, (engine) =>
  siteSuites('alone', { retries: 0, kills: 5 }, () => ({ engines: { eventstore: engine().url }, roles: { all: 1 } })),
);
