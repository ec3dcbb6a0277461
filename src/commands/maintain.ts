/** `rebuild`, `verify`, `events`: commands that own the data folder while they run. Each answers its exit code. */
import { isLeft } from 'fp-ts/Either';
import { projectionsOf } from '../../projections';
import { rebuild } from '../../projections/rebuild';
import type { Config } from '../config';
import { eventCatalog } from '../domain/event-catalog';
import type { Platform } from '../engine/platform';
import { logger } from '../engine/telemetry';
import { verify, type VerifyReport } from '../engine/verify';
import { openEngines } from '../main';
import { throttled, type Print } from './print';

const withPlatform = async (
  config: Config,
  print: Print,
  work: (platform: Platform) => Promise<number>,
): Promise<number> => {
  const opened = await openEngines(config, logger(config.logLevel));
  if (isLeft(opened)) {
    print(opened.left);
    return 1;
  }
  try {
    return await work(opened.right.platform);
  } finally {
    await opened.right.close();
  }
};

export const rebuildCommand = (config: Config, names: readonly string[], print: Print): Promise<number> =>
  withPlatform(config, print, async (platform) => {
    const projections = projectionsOf(config);
    const unknown = names.filter((n) => !projections.some((p) => p.name === n));
    if (unknown.length > 0) {
      print(`unknown read models: ${unknown.join(', ')}; known: ${projections.map((p) => p.name).join(', ')}`);
      return 2;
    }
    const now = throttled(print, 2000);
    const done = await rebuild(platform, projections, {
      ...(names.length === 0 ? {} : { names }),
      onProgress: (p) =>
        now(`${p.events} events, ${Math.round(p.eventsPerSecond)}/s, about ${Math.ceil(p.secondsLeft)} s left`),
    });
    print(
      `rebuilt ${names.length === 0 ? 'every read model' : names.join(', ')}: ${done.events} events in ${done.seconds.toFixed(1)} s, ${Math.round(done.events / Math.max(done.seconds, 0.001))}/s`,
    );
    return 0;
  });

/** What was found, in words. */
export const printReport = (report: VerifyReport, print: Print): void => {
  print(
    `${report.events} events in ${report.streams} streams: every hash chain ${report.faults.some((f) => f.kind === 'chain') ? 'was checked' : 'holds'}`,
  );
  for (const fault of report.faults.slice(0, 50)) print(`  FAULT ${fault.kind}: ${fault.message}`);
  if (report.faults.length > 50) print(`  … and ${report.faults.length - 50} more`);
  print(
    report.ok
      ? 'read models equal a fresh fold of the ledger; counters equal the log'
      : `${report.faults.length} faults`,
  );
};

export const verifyCommand = (config: Config, print: Print): Promise<number> =>
  withPlatform(config, print, async (platform) => {
    const report = await verify(platform, projectionsOf(config), eventCatalog, { onProgress: throttled(print, 2000) });
    printReport(report, print);
    return report.ok ? 0 : 1;
  });

export const eventsCommand = (config: Config, stream: string, print: Print): Promise<number> =>
  withPlatform(config, print, async (platform) => {
    const events = await platform.events.readStream(stream);
    for (const event of events) print(JSON.stringify(event));
    if (events.length === 0) print(`no events in ${stream}`);
    return events.length === 0 ? 1 : 0;
  });
