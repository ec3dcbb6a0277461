/**
 * A thread of its own for the writes of one SQLite file, with group commit: whatever waits when a transaction begins is written in that
 * one transaction and made durable by one fsync, while the event loop of the program goes on.
 *
 * The thread's code is the text of the functions below. So it runs the same from dist/ and under a test runner that transpiles in memory,
 * and needs no file of its own; the price is that these functions may use nothing but their parameters and what Node has globally.
 */
import { Worker } from 'node:worker_threads';
import type * as threads from 'node:worker_threads';
import { driver, type Database } from './sqlite';

/** Carries out one request inside a transaction. Made in the thread, from its source text. */
export interface Handler<Request, Answer> {
  /** Forget what is remembered of the file: a transaction was rolled back, or another process wrote. */
  reset(): void;
  /** Throws where the request can't be carried out; nothing of it is stored then. */
  run(request: Request): Answer;
}
export type MakeHandler<Request, Answer> = (db: Database) => Handler<Request, Answer>;

/** `stored`: whether anything of it may be on disk all the same. `transient`: the engine failed, not the request. */
export interface WriteFailed {
  readonly message: string;
  readonly stored: 'no' | 'maybe';
  readonly transient: boolean;
}
export type Written<Answer> = { readonly ok: Answer } | { readonly failed: WriteFailed };

export interface Writer<Request, Answer> {
  /** Resolves when the request is committed, or failed. Never rejects. */
  write(request: Request): Promise<Written<Answer>>;
  /** Writes what waits, then folds the log into the file and closes it. */
  close(): Promise<void>;
}

interface ThreadData {
  readonly driver: string;
  readonly file: string;
  readonly pragmas: readonly string[];
}
type ToThread = { readonly requests: readonly unknown[] } | { readonly close: true };
type FromThread =
  | { readonly opened: true }
  | { readonly unopened: string }
  | { readonly answers: readonly Written<unknown>[] }
  | { readonly closed: true };

/** Runs in the thread. */
const writeLoop = (
  { parentPort, receiveMessageOnPort, workerData }: typeof threads,
  load: (driver: string) => unknown,
  makeHandler: MakeHandler<unknown, unknown>,
): void => {
  const port = parentPort as threads.MessagePort;
  const { driver: driverName, file, pragmas } = workerData as ThreadData;
  // No warning of an experimental module, see sqlite.ts.
  const emitWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  const { DatabaseSync } = load(driverName) as { DatabaseSync: new (file: string) => Database };
  process.emitWarning = emitWarning;
  const maxBatch = 5000;
  let db: Database | null = null;
  let handler: Handler<unknown, unknown>;
  let dataVersion: () => unknown;
  let seenVersion: unknown;

  const open = (): Database => {
    const opened = new DatabaseSync(file);
    try {
      opened.exec('PRAGMA busy_timeout=5000');
      for (const pragma of pragmas) opened.exec(pragma);
      handler = makeHandler(opened);
    } catch (error) {
      opened.close();
      throw error;
    }
    const version = opened.prepare('PRAGMA data_version');
    dataVersion = () => Object.values(version.get() as object)[0];
    seenVersion = dataVersion();
    return opened;
  };
  const shut = (): void => {
    try {
      db?.close();
    } catch {
      // nothing of it is needed any more
    }
    db = null;
  };

  /** Primary result codes that speak of the engine, the disk or the file: BUSY LOCKED NOMEM READONLY IOERR CORRUPT FULL CANTOPEN PROTOCOL NOTADB. */
  const engineCodes = [5, 6, 7, 8, 10, 11, 13, 14, 15, 26];
  const failure = (error: unknown, stored: 'no' | 'maybe'): WriteFailed => {
    const { errcode, errstr, message } = error as { errcode?: number; errstr?: string; message?: string };
    const transient = db === null || (errcode !== undefined && engineCodes.includes(errcode & 0xff));
    return { message: `${file}: ${message ?? errstr ?? String(error)}`, stored, transient };
  };

  /** All requests in one transaction; throws the failure of the whole, with nothing stored unless it says `maybe`. */
  const transact = (requests: readonly unknown[]): Written<unknown>[] => {
    let at: 'work' | 'commit' = 'work';
    try {
      db ??= open();
      db.exec('BEGIN IMMEDIATE');
      const version = dataVersion();
      if (version !== seenVersion) handler.reset();
      seenVersion = version;
      const answers = requests.map((request) => ({ ok: handler.run(request) }));
      at = 'commit';
      db.exec('COMMIT');
      return answers;
    } catch (error) {
      // A commit that failed in its sync (any IOERR but that of the write itself, 778) may be found in the log after a crash all the same.
      const code = Number((error as { errcode?: number }).errcode);
      const failed = failure(error, at === 'commit' && (code & 0xff) === 10 && code !== 778 ? 'maybe' : 'no');
      try {
        if (db?.isTransaction === true) db.exec('ROLLBACK');
        handler?.reset();
      } catch {
        shut();
      }
      // After a failing disk the connection is made anew, so that nothing half-known is kept.
      if (failed.transient) shut();
      throw failed;
    }
  };
  const commit = (requests: readonly unknown[]): Written<unknown>[] => {
    try {
      return transact(requests);
    } catch (error) {
      const failed = error as WriteFailed;
      if (failed.transient || requests.length === 1) return requests.map(() => ({ failed }));
      // One of them is at fault: each by itself, so that it fails alone.
      return requests.map((request) => {
        try {
          return transact([request])[0] as Written<unknown>;
        } catch (alone) {
          return { failed: alone as WriteFailed };
        }
      });
    }
  };

  let closing = false;
  port.on('message', (first: ToThread) => {
    const requests: unknown[] = [];
    for (let message: ToThread | undefined = first; message !== undefined;) {
      if ('close' in message) closing = true;
      else for (const request of message.requests) requests.push(request);
      message = requests.length >= maxBatch ? undefined : (receiveMessageOnPort(port)?.message as ToThread | undefined);
    }
    if (requests.length > 0) port.postMessage({ answers: commit(requests) } satisfies FromThread);
    if (!closing) return;
    try {
      db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // the log stays beside the file and is read at the next opening
    }
    shut();
    port.postMessage({ closed: true } satisfies FromThread);
    port.close();
  });
  try {
    db = open();
    port.postMessage({ opened: true } satisfies FromThread);
  } catch (error) {
    port.postMessage({ unopened: failure(error, 'no').message } satisfies FromThread);
    port.close();
  }
};

/**
 * Starts the thread and opens the file with these pragmas. Rejects when the file can't be opened. `makeHandler` must be self-contained.
 */
export const startWriter = <Request, Answer>(
  file: string,
  pragmas: readonly string[],
  makeHandler: MakeHandler<Request, Answer>,
): Promise<Writer<Request, Answer>> => {
  const source = `(${writeLoop.toString()})(require('node:worker_threads'), require, ${makeHandler.toString()})`;
  const workerData: ThreadData = { driver, file, pragmas };
  type Settle = (written: Written<Answer>) => void;
  let waiting: { readonly request: Request; readonly settle: Settle }[] = [];
  const sent: Settle[] = [];
  let scheduled = false;
  let worker: Worker | null = null;
  let closed: (() => void) | 'no' | 'yes' = 'no';

  const failAll = (settles: readonly Settle[], message: string, stored: 'no' | 'maybe'): void =>
    settles.forEach((settle) => settle({ failed: { message: `${file}: ${message}`, stored, transient: true } }));

  /** Starts the thread, at first and again should it ever end; `opened` hears of the first only. */
  const start = (opened: (problem: string | null) => void): Worker => {
    const started = new Worker(source, { eval: true, execArgv: [], workerData });
    const ended = (reason: string): void => {
      if (worker === started) worker = null;
      failAll(sent.splice(0), `the writer thread ended: ${reason}`, 'maybe');
      opened(`${file}: the writer thread ended: ${reason}`);
      if (typeof closed === 'function') closed();
    };
    started.on('error', (error) => ended(error.message));
    started.on('exit', (code) => ended(`exit code ${code}`));
    started.on('message', (message: FromThread) => {
      if ('answers' in message) {
        const settles = sent.splice(0, message.answers.length);
        message.answers.forEach((written, i) => settles[i]?.(written as Written<Answer>));
        if (sent.length === 0 && closed === 'no') started.unref();
      } else if ('opened' in message) {
        if (sent.length === 0) started.unref();
        opened(null);
      } else if ('unopened' in message) opened(message.unopened);
    });
    return started;
  };

  const flush = (): void => {
    scheduled = false;
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    if (closed !== 'no') {
      failAll(
        batch.map((w) => w.settle),
        'the store is closed',
        'no',
      );
      return;
    }
    worker ??= start(() => undefined);
    worker.ref();
    for (const w of batch) sent.push(w.settle);
    worker.postMessage({ requests: batch.map((w) => w.request) } satisfies ToThread);
  };

  const writer: Writer<Request, Answer> = {
    write: (request) =>
      new Promise((settle) => {
        waiting.push({ request, settle });
        if (scheduled) return;
        scheduled = true;
        setImmediate(flush);
      }),
    close: () =>
      new Promise((done) => {
        flush();
        if (worker === null || closed !== 'no') {
          closed = 'yes';
          return done();
        }
        closed = () => {
          closed = 'yes';
          done();
        };
        worker.ref();
        worker.postMessage({ close: true } satisfies ToThread);
      }),
  };
  return new Promise((resolve, reject) => {
    worker = start((problem) => (problem === null ? resolve(writer) : reject(new Error(problem))));
  });
};
