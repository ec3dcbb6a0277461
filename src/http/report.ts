/** Reports of calls as CSV (RFC 4180). */
import { Readable } from 'node:stream';
import type { RunDoc } from '../../projections/runs';
import type { Json, JsonObject } from '../core/event';
import type { OrganizationId } from '../core/ids';
import { object, optional } from '../core/codec';
import type { Condition } from '../ports/read-store';
import type { Api } from './api';
import { everyRun } from './every-run';
import { instant } from './instant';
import type { Reply } from './route';
import { between } from './run-query';
import { showRuns } from './show-runs';

export const ReportQuery = object('ReportQuery', { start_date: optional(instant), end_date: optional(instant) });
export interface ReportPeriod {
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

const HEAD = [
  'Run ID',
  'Campaign ID',
  'Agent ID',
  'Agent Definition ID',
  'Created At',
  'Phone Number',
  'Call Disposition',
  'Call Duration (s)',
];
const TAIL = ['Call Tags', 'Transcript URL', 'Recording URL'];

const cell = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
/** A row of CSV, its line end included. */
export const csvRow = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

const extracted = (run: { readonly gathered_context: JsonObject }): JsonObject =>
  (run.gathered_context['extracted_variables'] ?? {}) as JsonObject;

/**
 * The completed runs with an answered call that `of` names, newest first, both ends of the period included. The names of extracted variables are
 * columns, so the runs are gone through twice: once for the names, once for the rows. Answered once the names are known, so that an engine that
 * is away by then is a 503; later the answer breaks off.
 */
export const report = async (
  api: Api,
  org: OrganizationId,
  of: Condition,
  period: ReportPeriod,
  fileName: string,
): Promise<Reply> => {
  const where: readonly Condition[] = [
    { field: 'organization', is: org },
    of,
    { field: 'is_completed', is: true },
    { field: 'duration', from: 0 },
    ...between(period.start_date, period.end_date),
  ];
  const names = new Set<string>();
  for await (const page of everyRun(api, where, true))
    for (const run of await showRuns(api, org, page)) Object.keys(extracted(run)).forEach((name) => names.add(name));
  async function* rows(): AsyncGenerator<string, void> {
    yield csvRow([...HEAD, ...names, ...TAIL]);
    for await (const page of everyRun(api, where, true)) {
      const shown = await showRuns(api, org, page);
      yield page.map((doc, i) => rowOf(doc, shown[i] as (typeof shown)[number], [...names])).join('');
    }
  }
  return {
    body: Readable.from(rows(), { objectMode: false }),
    type: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="${fileName}"` },
  };
};

const rowOf = (doc: RunDoc, run: Awaited<ReturnType<typeof showRuns>>[number], names: readonly string[]): string => {
  const variables = extracted(run);
  const tags = (run.gathered_context['call_tags'] ?? []) as readonly Json[];
  return csvRow([
    run.id,
    run.campaign_id,
    run.workflow_id,
    run.definition_id,
    run.created_at,
    doc.contact?.phone_number,
    doc.disposition,
    doc.duration,
    ...names.map((name) => variables[name]),
    tags.join(', '),
    run.transcript_url,
    run.recording_url,
  ]);
};
