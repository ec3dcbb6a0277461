/** The simulator's own resources: its record, its figures, and the faults that a test asks for. No password: it listens on loopback. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Apps } from './apps';
import type { Faults } from './options';
import { faultPresets } from './options';
import type { CallRecord, RecordRow } from './record';
import type { Fields } from './reply';
import { sendJson, sendMessage, sendNothing, textParameter } from './reply';

export interface ControlContext {
  readonly apps: Apps;
  readonly record: CallRecord;
  readonly faults: () => Faults;
  readonly setFaults: (faults: Faults) => void;
  readonly restart: (how: 'killed' | 'stopped', downMs: number, bootMs: number) => void;
}

function* lines(rows: readonly RecordRow[]): Generator<string> {
  for (let i = 0; i < rows.length; i += 500)
    yield rows
      .slice(i, i + 500)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
}

/** JSON lines: all rows, or those after the first `after`, at most `limit`. */
const sendRows = (response: ServerResponse, record: CallRecord, fields: Fields): void => {
  const after = Number(textParameter(fields, 'after') ?? 0);
  const limit = Number(textParameter(fields, 'limit') ?? Infinity);
  const rows = record.rows().slice(after, after + limit);
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-total': record.rows().length });
  pipeline(Readable.from(lines(rows)), response, () => undefined);
};

const sendRestart = (response: ServerResponse, context: ControlContext, fields: Fields): void => {
  response.once('close', () =>
    context.restart(
      textParameter(fields, 'how') === 'stopped' ? 'stopped' : 'killed',
      Number(textParameter(fields, 'down_ms') ?? 200),
      Number(textParameter(fields, 'boot_ms') ?? 200),
    ),
  );
  response.writeHead(204, { connection: 'close' });
  response.end();
};

const changeFaults = (response: ServerResponse, context: ControlContext, fields: Fields): void => {
  const preset = textParameter(fields, 'preset');
  const base = preset === null ? context.faults() : faultPresets[preset];
  if (base === undefined) return sendMessage(response, 400, 'No such preset');
  const knobs = Object.keys(base).flatMap((name) =>
    typeof fields[name] === 'number' ? [[name, fields[name]] as const] : [],
  );
  const next: Faults = { ...base, ...Object.fromEntries(knobs) };
  context.setFaults(next);
  sendJson(response, 200, next);
};

/** Answers one request below `/simulator`; false: there is no such resource. */
export const controlRoutes =
  (context: ControlContext) =>
  (request: IncomingMessage, response: ServerResponse, action: string | undefined, fields: Fields): boolean => {
    switch (`${request.method} ${action ?? ''}`) {
      case 'GET record':
        sendRows(response, context.record, fields);
        return true;
      case 'GET stats':
        sendJson(response, 200, context.record.stats(context.apps.counts()));
        return true;
      case 'POST restart':
        sendRestart(response, context, fields);
        return true;
      case 'POST drop-sockets':
        context.apps.dropSockets();
        sendNothing(response);
        return true;
      case 'POST faults':
        changeFaults(response, context, fields);
        return true;
      default:
        return false;
    }
  };
