/** The one logger and the one metrics registry of a process. No phone number, credential or API key ever goes into either. */
import pino from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';

export type Logger = pino.Logger;

/** JSON lines on stderr, so that stdout stays free for a command's own output. `silent` for tests. */
export const logger = (level: string): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: false }));

export const silentLogger: Logger = pino({ level: 'silent' });

/** A registry of its own per process role, so that tests can run several side by side. */
export const metricsRegistry = (withProcess: boolean): Registry => {
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  return registry;
};
