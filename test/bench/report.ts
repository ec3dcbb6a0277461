/** How a benchmark tells what it found: a line per figure, its bar and its yardstick beside it; all of them as JSON in the end. */
import { cpus, release, totalmem } from 'node:os';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What DESIGN asks for; null: none. */
  readonly bar: { readonly text: string; readonly met: boolean } | null;
  /** The bare work that it is held against, measured in the same run. */
  readonly yardstick: string | null;
}

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`;

const shown = (n: number): string =>
  n >= 1000 ? Math.round(n).toLocaleString('en-US') : n >= 10 ? n.toFixed(1) : n.toFixed(2);

export const print = (figure: Figure): void => {
  const bar = figure.bar === null ? '' : `   bar: ${figure.bar.text} ${figure.bar.met ? '(met)' : '(MISSED)'}`;
  const yardstick = figure.yardstick === null ? '' : `   yardstick: ${figure.yardstick}`;
  process.stdout.write(
    `${figure.name.padEnd(44)} ${shown(figure.value).padStart(10)} ${figure.unit.padEnd(12)}${bar}${yardstick}\n`,
  );
};

/** The value below which `p` (0 to 1) of the samples lie. */
export const percentile = (samples: readonly number[], p: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? NaN;
};

/** Samples the resident memory until stopped; answers its peak, MiB. */
export const watchMemory = (): (() => number) => {
  let peak = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  return () => {
    clearInterval(timer);
    return Math.max(peak, process.memoryUsage.rss()) / 2 ** 20;
  };
};
