/** The platform as one process with its uploads and snapshots in S3 and all else embedded. */
import { withEngine } from '../support/engines';
import { siteSuites } from './suites';

withEngine('s3', {}, (engine) =>
  siteSuites('alone', { retries: 0, kills: 5 }, () => ({ engines: { s3: engine().url }, roles: { all: 1 } })),
);
