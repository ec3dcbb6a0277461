/** What a server says it is: its own report, never what we suppose. */
import { appendFile } from 'node:fs/promises';
import { Client as GrpcClient, credentials } from '@grpc/grpc-js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import type { EngineName } from './engine-containers';
import { eventually } from './programs';

/** ServerFeatures.GetSupportedMethods, which every server since 21.2 answers. The peer of the tests names itself there. */
const eventStoreVersion = async (url: string): Promise<string> => {
  const at = new URL(url.replace(/^[a-z]+(\+discover)?:/, 'http:'));
  const isPlain = at.searchParams.get('tls') === 'false';
  const client = new GrpcClient(at.host, isPlain ? credentials.createInsecure() : credentials.createSsl());
  const { path, requestSerialize, responseDeserialize } = ServerFeaturesService.getSupportedMethods;
  try {
    const answer = await new Promise<SupportedMethods>((resolve, reject) =>
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        new Empty(),
        { deadline: Date.now() + 5000 },
        (error, methods) => (error === null && methods !== undefined ? resolve(methods) : reject(error)),
      ),
    );
    const version = answer.getEventStoreServerVersion();
    return /^[\d.]/.test(version) ? `EventStoreDB ${version}` : version;
  } finally {
    client.close();
  }
};

/** buildInfo; FerretDB answers it with a field of its own, and with the version of MongoDB whose protocol it speaks. */
const mongoVersion = async (url: string): Promise<string> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 });
  try {
    const { version, ferretdb } = (await client.db('admin').command({ buildInfo: 1 })) as {
      readonly version: string;
      readonly ferretdb?: { readonly version?: string };
    };
    return ferretdb === undefined
      ? `MongoDB ${version}`
      : `FerretDB ${ferretdb.version ?? 'of unknown version'} (as MongoDB ${version})`;
  } finally {
    await client.close();
  }
};

const natsVersion = async (url: string): Promise<string> => {
  const at = new URL(url);
  const connection = await connect({
    servers: at.host,
    timeout: 5000,
    ...(at.username === '' ? {} : { user: decodeURIComponent(at.username), pass: decodeURIComponent(at.password) }),
  });
  try {
    return `nats-server ${connection.info?.version ?? 'of unknown version'}`;
  } finally {
    await connection.close();
  }
};

/** The Server header; S3's protocol has no question for a version. */
const s3Version = async (url: string): Promise<string> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
  await answer.arrayBuffer();
  return answer.headers.get('server') ?? 'an S3 server that does not say which';
};

const ask: Readonly<Record<EngineName, (url: string) => Promise<string>>> = {
  eventstore: eventStoreVersion,
  mongo: mongoVersion,
  nats: natsVersion,
  s3: s3Version,
};

/** Name and version as the server reports them; rejects when it does not answer within 30 s. */
export const reportedVersion = (name: EngineName, url: string): Promise<string> =>
  eventually(`${name} says what it is`, 30_000, () => ask[name](url));

/** A line of the file that ENGINES_SEEN names. */
export interface EngineSeen {
  readonly engine: EngineName;
  readonly reported: string;
  /** `container`, `process`, or the address that a variable names. */
  readonly from: string;
  /** The suite that used it. */
  readonly file: string;
}

/** Notes what a suite ran on, for the table at the end of `npm run test:production`. Without ENGINES_SEEN nobody asks. */
export const noteEngine = async (engine: EngineName, url: string, from: string): Promise<void> => {
  const into = process.env['ENGINES_SEEN'];
  if (into === undefined || into === '') return;
  const seen: EngineSeen = {
    engine,
    reported: await reportedVersion(engine, url),
    from,
    file: expect.getState().testPath ?? '',
  };
  await appendFile(into, `${JSON.stringify(seen)}\n`);
};
