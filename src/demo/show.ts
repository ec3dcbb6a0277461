/** What the demo prints. On a terminal the progress is one line that is drawn again; elsewhere a line every few seconds. */

export interface Snapshot {
  readonly state: string;
  readonly contacts: number;
  readonly contactsDone: number;
  readonly inFlight: number;
  readonly attempts: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

const WIDTH = 28;

const bar = (part: number): string => {
  const full = Math.round(Math.max(0, Math.min(1, part)) * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
};

export const progressLine = (s: Snapshot): string => {
  const outcomes = Object.entries(s.outcomes)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
  const part = s.contacts === 0 ? 0 : s.contactsDone / s.contacts;
  return `${bar(part)} ${s.contactsDone}/${s.contacts} contacts done, ${s.inFlight} calls in flight, ${s.attempts} attempts${outcomes === '' ? '' : ` (${outcomes})`}`;
};

export interface Screen {
  line(text: string): void;
  progress(s: Snapshot): void;
}

export const screen = (out: NodeJS.WriteStream): Screen => {
  let drawn = false;
  let lastPrinted = 0;
  const clear = (): void => {
    if (drawn) out.write('\r\u001b[2K');
    drawn = false;
  };
  return {
    line: (text) => {
      clear();
      out.write(`${text}\n`);
    },
    progress: (s) => {
      if (out.isTTY) {
        clear();
        out.write(progressLine(s).slice(0, Math.max(40, (out.columns ?? 120) - 1)));
        drawn = true;
      } else if (Date.now() - lastPrinted >= 4000 || s.state === 'completed') {
        lastPrinted = Date.now();
        out.write(`${progressLine(s)}\n`);
      }
    },
  };
};

/** Columns under their headings, as wide as needed. */
export const table = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const cells = [headings, ...rows.map((r) => r.map(String))];
  const widths = headings.map((_, i) => Math.max(...cells.map((r) => (r[i] ?? '').length)));
  return cells.map((r) => `  ${r.map((c, i) => c.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd()).join('\n');
};
