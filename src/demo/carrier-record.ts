/** The carrier simulator's own record of what reached it. */
import type { SeenCall } from './judge';

export interface RecordedCall extends SeenCall {
  /** ms on the simulator's monotonic clock. */
  readonly atMs: number;
  readonly endedMs: number | null;
  readonly number: string;
  /** What the phone was to do; null: no call was made of the request. */
  readonly phone: string | null;
}

interface Row {
  readonly channel_id: string;
  readonly args: readonly string[];
  readonly at_ms: number;
  readonly ended_ms: number | null;
  readonly number: string;
  readonly phone: string | null;
}

const tagOf = (row: Row, name: string): number =>
  Number(row.args.find((a) => a.startsWith(`${name}=`))?.slice(name.length + 1));

/** Every place request that a simulator saw, in order of arrival. */
export const recordedCalls = async (url: string): Promise<readonly RecordedCall[]> => {
  const text = await (await fetch(`${url}/simulator/record`)).text();
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
  return rows.map((row) => ({
    reference: row.channel_id,
    runId: tagOf(row, 'run'),
    attempt: tagOf(row, 'attempt'),
    atMs: row.at_ms,
    endedMs: row.ended_ms,
    number: row.number,
    phone: row.phone,
  }));
};
