/** The protocol's messages, from the client's own generated stubs. */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendReq, AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Expected, LogEvent } from './log';

const TICKS_PER_MS = 10_000n;

export const nameOf = (id: StreamIdentifier | undefined): string =>
  id === undefined ? '' : Buffer.from(id.getStreamName_asU8()).toString('utf8');

const identifier = (name: string): StreamIdentifier => new StreamIdentifier().setStreamName(Buffer.from(name, 'utf8'));

/** When the event was decided stands for the time of its writing, which the log below does not keep. */
const createdAt = (metadata: unknown): string => {
  const at = Date.parse(String((metadata as { readonly at?: unknown } | null)?.at));
  return (BigInt(Number.isNaN(at) ? 0 : at) * TICKS_PER_MS).toString();
};

const json = (value: unknown): Uint8Array => {
  const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return empty ? new Uint8Array() : Buffer.from(JSON.stringify(value));
};

export const eventMessage = (event: LogEvent): ReadResp => {
  const record = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(event.id))
    .setStreamIdentifier(identifier(event.stream))
    .setStreamRevision(event.revision.toString())
    .setCommitPosition(event.position.toString())
    .setPreparePosition(event.position.toString())
    .setData(Buffer.from(JSON.stringify(event.data)))
    .setCustomMetadata(json(event.metadata));
  record
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', 'application/json')
    .set('created', createdAt(event.metadata));
  return new ReadResp().setEvent(
    new ReadResp.ReadEvent().setEvent(record).setCommitPosition(event.position.toString()),
  );
};

export const confirmationMessage = (id: string): ReadResp =>
  new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));
export const caughtUpMessage = (): ReadResp => new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
export const checkpointMessage = (position: bigint): ReadResp =>
  new ReadResp().setCheckpoint(
    new ReadResp.Checkpoint().setCommitPosition(position.toString()).setPreparePosition(position.toString()),
  );
export const notFoundMessage = (stream: string): ReadResp =>
  new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream)));

export const successMessage = (revision: number, position: bigint): AppendResp =>
  new AppendResp().setSuccess(
    new AppendResp.Success()
      .setCurrentRevision(revision.toString())
      .setPosition(
        new AppendResp.Position().setCommitPosition(position.toString()).setPreparePosition(position.toString()),
      ),
  );

export const wrongVersionMessage = (expected: Expected, actual: number): AppendResp => {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (actual < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(actual.toString());
  if (expected === 'any') wrong.setExpectedAny(new Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new Empty());
  else if (expected < 0) wrong.setExpectedNoStream(new Empty());
  else wrong.setExpectedRevision(expected.toString());
  return new AppendResp().setWrongExpectedVersion(wrong);
};

export const expectedOf = (options: AppendReq.Options): Expected => {
  const cases = AppendReq.Options.ExpectedStreamRevisionCase;
  switch (options.getExpectedStreamRevisionCase()) {
    case cases.REVISION:
      return Number(options.getRevision());
    case cases.NO_STREAM:
      return -1;
    case cases.STREAM_EXISTS:
      return 'stream_exists';
    case cases.ANY:
    case cases.EXPECTED_STREAM_REVISION_NOT_SET:
      return 'any';
  }
};

const UUID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Throws on what makes the server's handler throw. */
export const proposed = (message: AppendReq.ProposedMessage): Pick<LogEvent, 'id' | 'type' | 'data' | 'metadata'> => {
  const id = message.getId()?.getString() ?? '';
  const type = message.getMetadataMap().get('type') ?? '';
  if (!UUID_FORM.test(id) || type === '') throw new Error('not an event');
  const metadata = Buffer.from(message.getCustomMetadata_asU8()).toString('utf8');
  return {
    id: id.toLowerCase(),
    type,
    data: JSON.parse(Buffer.from(message.getData_asU8()).toString('utf8')),
    metadata: metadata === '' ? {} : JSON.parse(metadata),
  };
};

export const rpcError = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): Partial<ServiceError> & { readonly code: status; readonly details: string } => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return { code, details, metadata };
};

export const notReady = () => rpcError(status.UNAVAILABLE, 'Server Is Not Ready');
export const handlerThrew = () => rpcError(status.UNKNOWN, 'Exception was thrown by handler.');
