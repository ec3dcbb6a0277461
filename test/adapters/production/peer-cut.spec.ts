/** An append that is cut off in its middle: a server that took what had arrived for the whole would store half a decision. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@grpc/grpc-js';
import { credentials as grpc, makeClientConstructor, type ClientWritableStream } from '@grpc/grpc-js';
import { EventStoreDBClient } from '@eventstore/db-client';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { startProxy, type Proxy } from '../../support/peer/proxy';
import { startPeer, type Peer } from '../../support/peer/server';
import { tempFolder, type TempFolder } from '../../support/temp';

let folder: TempFolder;
let peer: Peer;
let proxy: Proxy;
const clients: Client[] = [];

beforeEach(async () => {
  folder = await tempFolder();
  peer = await startPeer({ folder: folder.path, port: 0 });
  proxy = await startProxy({ port: peer.port });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await proxy.close();
  await peer.stop();
  await folder.remove();
});

const StreamsClient = makeClientConstructor(StreamsService as never, 'Streams');

/** Begins an append of several events and sends the first of them. */
const halfAppend = (stream: string): ClientWritableStream<AppendReq> => {
  const client = new StreamsClient(`127.0.0.1:${proxy.port}`, grpc.createInsecure());
  clients.push(client);
  const call = (client as unknown as { append(done: () => void): ClientWritableStream<AppendReq> }).append(
    () => undefined,
  );
  call.on('error', () => undefined);
  call.write(
    new AppendReq().setOptions(
      new AppendReq.Options()
        .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)))
        .setNoStream(new Empty()),
    ),
  );
  const event = new AppendReq.ProposedMessage()
    .setId(new UUID().setString(randomUUID()))
    .setData(Buffer.from('{}'))
    .setCustomMetadata(Buffer.from('{}'));
  event.getMetadataMap().set('type', 'CallEnded').set('content-type', 'application/json');
  call.write(new AppendReq().setProposedMessage(event));
  return call;
};

const stored = async (): Promise<number> => {
  const client = EventStoreDBClient.connectionString(peer.url);
  let count = 0;
  for await (const { event } of client.readAll()) count += event === undefined ? 0 : 1;
  await client.dispose();
  return count;
};

const arrive = (): Promise<void> => new Promise((done) => setTimeout(done, 200));

describe('an append that is cut off in its middle writes nothing', () => {
  it('where the connection breaks', async () => {
    for (let i = 0; i < 5; i++) halfAppend(`cut-${i}`);
    await arrive();
    proxy.cut();
    await arrive();
    expect(await stored()).toBe(0);
  });

  it('where the client cancels it', async () => {
    const calls = Array.from({ length: 5 }, (_, i) => halfAppend(`cancelled-${i}`));
    await arrive();
    for (const call of calls) call.cancel();
    await arrive();
    expect(await stored()).toBe(0);
  });
});
