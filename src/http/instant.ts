/** Instants in query strings, as clients write them and as documents hold them. */
import { refine, text } from '../core/codec';

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * ISO 8601 as documents write theirs, so that text order is time order; null: not a date-time, or beyond the year 9999. Without a zone it is UTC,
 * whatever the server's own zone is; without a time, midnight.
 */
export const parseInstant = (value: string): string | null => {
  const [, date = '', time = '00:00', zone = 'Z'] = WRITTEN.exec(value.trim()) ?? [];
  const iso = (written: string): string | null => {
    const parsed = new Date(written);
    return Number.isNaN(parsed.getTime()) ? null : parsed.toISOString();
  };
  // The engine takes the 30th of February for a day of March.
  if (iso(`${date}T00:00Z`)?.slice(0, 10) !== date) return null;
  const instant = iso(`${date}T${time}${zone}`);
  return instant?.length === 'YYYY-MM-DDTHH:mm:ss.sssZ'.length ? instant : null;
};

export const instant = refine(
  text({ description: 'ISO 8601; UTC without a zone', example: '2026-01-31T00:00:00Z' }),
  (value) => (parseInstant(value) === null ? 'not an ISO 8601 date-time' : null),
);
