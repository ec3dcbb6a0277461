/** Greeting recordings: audio that a contact list may name in the place of the agent's own greeting. */
import { randomBytes } from 'node:crypto';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { recordingKey, recordingRecord, recordings } from '../../../projections/recordings';
import { object, required, text } from '../../core/codec';
import { notFound, rejected, type Failure } from '../../core/failure';
import { recordingsStream, type OrganizationId } from '../../core/ids';
import { parsePosition } from '../../core/position';
import { recordingDecider } from '../../domain/recording/decider';
import {
  MAX_RECORDING_BYTES,
  RecordingsCreate,
  RecordingUpdate,
  RecordingUploads,
  type RecordingsCreate as CreateBody,
} from '../../domain/recording/requests';
import { shown, visible, type Api } from '../api';
import { ifMatch } from '../conditional';
import { newestFirst } from '../resources';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { Message } from '../shapes/values';
import { Recording, RecordingList, RecordingUploadUrls } from '../shapes/recordings';

const RecordingPath = object('RecordingPath', {
  recording_id: required(text({ description: 'The id, or the public id' })),
});

/** Seconds that an upload URL lives. */
const EXPIRES_IN = 900;
const prefixOf = (org: OrganizationId, publicId: string): string => `recordings/${org}/${publicId}/`;

export const recordingRoutes = (api: Api): readonly Route[] => {
  const { execute, objects, views } = api.platform;

  /** Internal id of what a path names; -1: nothing. A public id may look like an id of another recording: then it is that one. */
  const idOf = async (org: OrganizationId, named: string): Promise<number> => {
    const { known } = (await execute.load(recordingDecider, recordingsStream(org))).state;
    const byId = /^\d+$/.test(named) ? known.get(Number(named)) : undefined;
    return (byId ?? [...known.values()].find((r) => r.recording_id === named))?.id ?? -1;
  };

  const show = async (from: Api, org: OrganizationId, id: number): Promise<Handled> => {
    const doc = await from.platform.views.get(recordings, recordingKey(org, id));
    return doc === null
      ? left(notFound('Recording not found'))
      : ok(recordingRecord(doc), parsePosition(doc.etag) ?? undefined);
  };

  /** Whether each was uploaded where its URL pointed. */
  const uploaded = async (org: OrganizationId, body: CreateBody): Promise<Either<Failure, null>> => {
    for (const { recording_id, storage_key } of body.recordings) {
      const rest = storage_key.startsWith(prefixOf(org, recording_id)) ? storage_key.split('/').slice(3) : [];
      if (rest.length !== 1 || rest[0] === '' || rest[0] === '.' || rest[0] === '..')
        return left(rejected(`The storage_key of '${recording_id}' is not the one that its upload URL came with`));
      const audio = await objects.head(storage_key);
      if (audio === null) return left(rejected(`The audio of '${recording_id}' has not been uploaded`));
      if (audio.size === 0 || audio.size > MAX_RECORDING_BYTES)
        return left(
          rejected(`The audio of '${recording_id}' has ${audio.size} bytes, not 1 to ${MAX_RECORDING_BYTES}`),
        );
    }
    return right(null);
  };

  const create = async ({ org, body, commands }: KeyedRequest<undefined, undefined, CreateBody>): Promise<Handled> => {
    const there = await uploaded(org, body);
    if (isLeft(there)) return there;
    const stream = recordingsStream(org);
    const wanted = body.recordings.map((r) => ({ ...r, id: 0 }));
    const possible = await commands.probe(recordingDecider, stream, { type: 'AddRecordings', recordings: wanted });
    if (isLeft(possible)) return possible;
    const first = await commands.ids('recording', wanted.length);
    if (isLeft(first)) return first;
    const added = wanted.map((r, i) => ({ ...r, id: first.right + i }));
    const done = await commands.run(recordingDecider, stream, { type: 'AddRecordings', recordings: added });
    if (isLeft(done)) return done;
    return shown(api, stream, done.right, async (now) => {
      const docs = await Promise.all(added.map(({ id }) => now.platform.views.get(recordings, recordingKey(org, id))));
      const found = docs.filter((doc) => doc !== null).map(recordingRecord);
      return found.length < added.length
        ? left(notFound('Recording not found'))
        : ok({ recordings: found, total: found.length });
    });
  };

  const BASE = '/api/v1/workflow-recordings';
  const ONE = `${BASE}/{recording_id}`;
  const tag = 'recordings';
  return [
    route({
      method: 'POST',
      path: `${BASE}/upload-url`,
      scope: 'write',
      tag,
      summary: 'Ask for URLs to PUT audio to',
      body: RecordingUploads,
      example: { files: [{ filename: 'hello.wav', mime_type: 'audio/wav', file_size: 120000 }] },
      response: { schema: RecordingUploadUrls.schema },
      handle: async ({ org, body, commands }) => {
        const items = await Promise.all(
          body.files.map(async ({ filename, mime_type }) => {
            const recordingId = commands.once(() => randomBytes(6).toString('hex'));
            const name = filename
              .replaceAll(/[^a-zA-Z0-9._-]/g, '_')
              .replace(/^\.+/, '_')
              .slice(-100);
            const storageKey = `${prefixOf(org, recordingId)}${name}`;
            const url = await objects.signUpload(storageKey, mime_type, EXPIRES_IN);
            return { upload_url: url, recording_id: recordingId, storage_key: storageKey };
          }),
        );
        return ok({ items });
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'write',
      tag,
      summary: 'Keep uploaded audio as recordings',
      body: RecordingsCreate,
      example: {
        recordings: [
          { recording_id: 'a1b2c3d4e5f6', storage_key: 'recordings/1/a1b2c3d4e5f6/hello.wav', transcript: 'Hello!' },
        ],
      },
      response: { schema: RecordingList.schema },
      failures: [409],
      handle: create,
    }),
    route({
      method: 'GET',
      path: BASE,
      scope: 'read',
      tag,
      summary: 'List the recordings',
      response: { schema: RecordingList.schema },
      handle: async ({ org }) => {
        const docs = await views.find(recordings, { where: [{ field: 'organization', is: org }] });
        return ok({ recordings: newestFirst(docs).map(recordingRecord), total: docs.length });
      },
    }),
    route({
      method: 'GET',
      path: ONE,
      scope: 'read',
      tag,
      summary: 'Get a recording',
      params: RecordingPath,
      response: { schema: Recording.schema },
      failures: [404],
      handle: async ({ org, params }) => show(api, org, await idOf(org, params.recording_id)),
    }),
    route({
      method: 'PATCH',
      path: ONE,
      scope: 'write',
      tag,
      summary: 'Change the public id or the transcript of a recording',
      params: RecordingPath,
      body: RecordingUpdate,
      example: { recording_id: 'spring-greeting' },
      conditional: true,
      response: { schema: Recording.schema },
      failures: [404, 409, 412],
      handle: async ({ org, params, body, commands, koa }) => {
        const stream = recordingsStream(org);
        const id = await idOf(org, params.recording_id);
        const expected = await ifMatch(koa, () => views.get(recordings, recordingKey(org, id)));
        if (isLeft(expected)) return expected;
        const done = await commands.run(recordingDecider, stream, {
          type: 'ChangeRecording',
          id,
          recordingId: body.recording_id ?? null,
          transcript: body.transcript ?? null,
          ...expected.right,
        });
        return isLeft(done) ? done : shown(api, stream, done.right, (now) => show(now, org, id));
      },
    }),
    route({
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      tag,
      summary: 'Remove a recording',
      params: RecordingPath,
      conditional: true,
      response: { schema: Message.schema },
      failures: [404, 412],
      handle: async ({ org, params, commands, koa }) => {
        const stream = recordingsStream(org);
        const id = await idOf(org, params.recording_id);
        const expected = await ifMatch(koa, () => views.get(recordings, recordingKey(org, id)));
        if (isLeft(expected)) return expected;
        const done = await commands.run(recordingDecider, stream, { type: 'RemoveRecording', id, ...expected.right });
        if (isLeft(done)) return done;
        await visible(api, stream, done.right);
        return ok({ message: 'Recording deleted' });
      },
    }),
  ];
};
