/** What the simulator saw: one row per place request, in order of arrival. It is the judge of what a dialer did. */
import { createWriteStream } from 'node:fs';

/** snake_case: rows are answered and written as they are. Milliseconds of `at_ms` and the like are monotonic, from the simulator's start. */
export interface RecordRow {
  readonly n: number;
  readonly at: string;
  readonly at_ms: number;
  readonly channel_id: string;
  readonly app: string;
  readonly endpoint: string;
  readonly number: string;
  readonly args: readonly string[];
  readonly caller_id: string | null;
  readonly timeout_seconds: number;
  /** The how-manieth call of this number, from 1; 0 when no call was made. */
  readonly nth: number;
  /** What the phone was to do; null when no call was made. */
  readonly phone: string | null;
  /** HTTP status of the reply; 0: none was given. */
  status: number;
  answered_ms: number | null;
  ended_ms: number | null;
  state: string | null;
  cause: number | null;
  tech_cause: number | null;
  /** Why it ended: far_end, hung_up, ring_timeout, absolute_timeout, nobody_listening, refused, dialplan, restart. */
  end: string | null;
}

export interface AppStats {
  requests: number;
  calls: number;
  open: number;
  max_open: number;
}

export interface Stats {
  readonly started_at: string;
  readonly requests: number;
  readonly calls: number;
  readonly open: number;
  readonly max_open: number;
  /** The most place requests that arrived within any second and any 100 ms. */
  readonly max_per_second: number;
  readonly events_sent: number;
  readonly events_lost: number;
  readonly by_phone: Readonly<Record<string, number>>;
  readonly by_status: Readonly<Record<string, number>>;
  readonly apps: Readonly<Record<string, Readonly<AppStats>>>;
}

export interface CallRecord {
  /** A place request arrived; `made`: a call came of it. */
  placed(
    row: Omit<RecordRow, 'n' | 'at' | 'at_ms' | 'answered_ms' | 'ended_ms' | 'state' | 'cause' | 'tech_cause' | 'end'>,
  ): RecordRow;
  answered(row: RecordRow): void;
  ended(row: RecordRow, state: string, cause: number, techCause: number | null, end: string): void;
  rows(): readonly RecordRow[];
  stats(events: { readonly sent: number; readonly lost: number }): Stats;
  close(): Promise<void>;
}

/** The largest number of ascending times that fit into one window. */
const densest = (times: readonly number[], windowMs: number): number => {
  let first = 0;
  let most = 0;
  for (let last = 0; last < times.length; last += 1) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
};

export const newRecord = (file: string | null): CallRecord => {
  const origin = performance.now();
  const startedAt = new Date().toISOString();
  const rows: RecordRow[] = [];
  const apps = new Map<string, AppStats>();
  const byPhone = new Map<string, number>();
  const byStatus = new Map<number, number>();
  const out = file === null ? null : createWriteStream(file, { flags: 'a' });
  let calls = 0;
  let open = 0;
  let maxOpen = 0;

  const now = (): number => Math.round((performance.now() - origin) * 1000) / 1000;
  const write = (what: string, row: RecordRow): void => {
    out?.write(`${JSON.stringify({ what, ...row })}\n`);
  };
  const appOf = (name: string): AppStats => {
    const known = apps.get(name);
    if (known !== undefined) return known;
    const fresh = { requests: 0, calls: 0, open: 0, max_open: 0 };
    apps.set(name, fresh);
    return fresh;
  };

  return {
    placed: (fields) => {
      const row: RecordRow = {
        n: rows.length + 1,
        at: new Date().toISOString(),
        at_ms: now(),
        ...fields,
        answered_ms: null,
        ended_ms: null,
        state: null,
        cause: null,
        tech_cause: null,
        end: null,
      };
      rows.push(row);
      const app = appOf(row.app);
      app.requests += 1;
      byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + 1);
      if (row.phone !== null) {
        calls += 1;
        open += 1;
        maxOpen = Math.max(maxOpen, open);
        app.calls += 1;
        app.open += 1;
        app.max_open = Math.max(app.max_open, app.open);
        byPhone.set(row.phone, (byPhone.get(row.phone) ?? 0) + 1);
      }
      write('placed', row);
      return row;
    },
    answered: (row) => {
      row.answered_ms = now();
    },
    ended: (row, state, cause, techCause, end) => {
      row.ended_ms = now();
      row.state = state;
      row.cause = cause;
      row.tech_cause = techCause;
      row.end = end;
      open -= 1;
      appOf(row.app).open -= 1;
      write('ended', row);
    },
    rows: () => rows,
    stats: (events) => ({
      started_at: startedAt,
      requests: rows.length,
      calls,
      open,
      max_open: maxOpen,
      max_per_second: densest(
        rows.map((row) => row.at_ms),
        1000,
      ),
      events_sent: events.sent,
      events_lost: events.lost,
      by_phone: Object.fromEntries(byPhone),
      by_status: Object.fromEntries(byStatus),
      apps: Object.fromEntries(apps),
    }),
    close: () => new Promise((resolve) => (out === null ? resolve() : out.end(() => resolve()))),
  };
};
