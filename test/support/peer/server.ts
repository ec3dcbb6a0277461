/**
 * The peer: a small server that speaks EventStoreDB's protocol, for tests of the production adapter. It is not EventStoreDB and says so when
 * asked for its version. It is durable (its log is the embedded ledger) and may be killed at any time.
 *
 * What it keeps to: expected revisions and repeated appends, the size limit, `stream-not-found`, reads of streams and of everything in both
 * directions, subscriptions with stream and type filters, checkpoints, `caughtUp` and the end of a consumer too slow while live, 100 open calls
 * per connection, `Server Is Not Ready` after a start. Appends on the batch path are offered and always fail, so that a test sees who takes it.
 * What it has not: TLS, users, metadata streams, deletion, links, persistent subscriptions, clusters, data that is not JSON.
 */
import { Server, ServerCredentials, status, type ServerReadableStream, type sendUnaryData } from '@grpc/grpc-js';
import { isLeft } from 'fp-ts/Either';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb';
import { embeddedEventStore } from '../../../src/adapters/embedded/event-store';
import { MAX_APPEND_BYTES, peerLog, type LogEvent } from './log';
import { serveRead } from './reads';
import {
  expectedOf,
  handlerThrew,
  nameOf,
  notReady,
  proposed,
  rpcError,
  successMessage,
  wrongVersionMessage,
} from './wire';

export interface PeerOptions {
  readonly folder: string;
  /** 0: any free one. */
  readonly port: number;
  readonly host?: string;
  /** How long the port is open before calls are served, ms (default 0). */
  readonly notReadyFor?: number;
}

export interface Peer {
  readonly port: number;
  readonly url: string;
  /** Calls of the batch append path, which the adapter must never take. */
  readonly batchAppends: () => number;
  /** See Log.scavenge. */
  readonly scavenge: (gone: (event: LogEvent) => boolean) => Promise<number>;
  readonly isReady: () => boolean;
  readonly stop: () => Promise<void>;
}

export const PEER_VERSION = 'ledgerline test peer (protocol of 23.10)';

export const startPeer = async (options: PeerOptions): Promise<Peer> => {
  const store = await embeddedEventStore({ folder: options.folder });
  const log = peerLog(store);
  const openedAt = performance.now();
  let batchAppends = 0;
  const isReady = (): boolean => performance.now() - openedAt >= (options.notReadyFor ?? 0);

  const append = async (messages: readonly AppendReq[]): Promise<AppendResp | ReturnType<typeof rpcError>> => {
    const header = messages[0]?.getOptions();
    const stream = nameOf(header?.getStreamIdentifier());
    if (header === undefined || stream === '') return handlerThrew();
    const expected = expectedOf(header);
    const events = messages.flatMap((message) => {
      const event = message.getProposedMessage();
      return event === undefined ? [] : [proposed(event)];
    });
    const answer = await log.append(stream, expected, events);
    if (!isLeft(answer)) return successMessage(answer.right.revision, answer.right.position);
    const failure = answer.left;
    switch (failure.kind) {
      case 'wrong_version':
        return wrongVersionMessage(expected, failure.actual);
      case 'too_large':
        return rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`, {
          exception: 'maximum-append-size-exceeded',
          'maximum-append-size': String(MAX_APPEND_BYTES),
        });
      case 'failed':
        return rpcError(status.UNKNOWN, failure.message);
    }
  };

  const server = new Server({
    'grpc.max_concurrent_streams': 100,
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
  });
  server.addService(StreamsService, {
    read: (call: Parameters<typeof serveRead>[1]) => {
      if (isReady()) void serveRead(log, call);
      else call.emit('error', notReady());
    },
    append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) => {
      const messages: AppendReq[] = [];
      call.on('data', (message: AppendReq) => messages.push(message));
      call.on('error', () => undefined);
      // A call that breaks ends too, with what had arrived: only one that its client closed is a whole append, and which it is shows a turn later.
      call.on('end', () =>
        setImmediate(() => {
          if (call.cancelled) return;
          if (!isReady()) return answer(notReady());
          append(messages).then(
            (made) => ('code' in made ? answer(made) : answer(null, made)),
            () => answer(handlerThrew()),
          );
        }),
      );
    },
    batchAppend: (call: { emit(event: 'error', error: unknown): void }) => {
      batchAppends += 1;
      call.emit('error', rpcError(status.UNIMPLEMENTED, 'the peer has no batch append'));
    },
  });
  server.addService(ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, answer: sendUnaryData<SupportedMethods>) => {
      const methods = Object.values(StreamsService as Record<string, { path: string }>).map(({ path }) => {
        const [, service = '', method = ''] = path.toLowerCase().split('/');
        return new SupportedMethod().setServiceName(service).setMethodName(method);
      });
      answer(null, new SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(PEER_VERSION));
    },
  });

  const host = options.host ?? '127.0.0.1';
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    batchAppends: () => batchAppends,
    scavenge: log.scavenge,
    isReady,
    stop: async () => {
      server.forceShutdown();
      await store.close();
    },
  };
};
