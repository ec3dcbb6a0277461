/** What `npm run test:production` must show. A suite that is listed here and does not run fails the table. */
import type { Expected } from './table';

const adapter = (engine: string, suite: string, name: string): Expected => ({
  engines: [engine],
  suite,
  file: `test/adapters/production/${name}`,
});

const site = (engines: readonly string[], name: string, where: string, like = ''): readonly Expected[] =>
  [
    ['main job', 'main job'],
    ['kill -9', 'kill -9'],
  ].map(([suite = '', title = '']) => ({
    engines,
    suite: `${suite}, ${where}`,
    file: `test/production/${name}.engines.spec.ts`,
    like: new RegExp(`${like}.*${title}`),
  }));

export const EXPECTED: readonly Expected[] = [
  adapter('eventstore', 'contract: event store', 'eventstoredb.contract.spec.ts'),
  adapter('eventstore', 'contract: event store; killed, paused', 'eventstoredb.containers.spec.ts'),
  adapter('mongo', 'contract: read store; killed, paused', 'mongodb.containers.spec.ts'),
  adapter('mongo', 'contract: vault; rotated, killed', 'mongodb-vault.containers.spec.ts'),
  adapter('nats', 'contract: feed, leases; killed, paused', 'nats.containers.spec.ts'),
  adapter('s3', 'contract: object store; killed, paused', 's3.containers.spec.ts'),
  ...site(['eventstore'], 'eventstore-alone', 'alone with embedded ones'),
  ...site(['mongo'], 'mongo-alone', 'alone, embedded vault', 'with the embedded vault'),
  ...site(['mongo'], 'mongo-alone', 'alone, vault there too', 'with its vault'),
  ...site(['nats'], 'nats-alone', 'alone with embedded ones'),
  ...site(['s3'], 's3-alone', 'alone with embedded ones'),
  ...site(['eventstore', 'mongo', 'nats', 's3'], 'together', 'all together'),
  {
    engines: ['mongo'],
    suite: 'vault rotate, killed',
    file: 'test/production/vault-rotation.engines.spec.ts',
    like: /^mongo /,
  },
  {
    engines: ['eventstore', 'mongo', 'nats', 's3'],
    suite: 'docker-compose.yml: every container killed, down and up',
    file: 'test/production/compose.containers.spec.ts',
  },
];
