/**
 * `If-Match`: a change is carried out only on the state that the client saw. The ETag is the position of the last event that changed the
 * resource; the decider compares the revision of that event, so that nothing can come in between.
 */
import { left, right, type Either } from 'fp-ts/Either';
import type { Context } from 'koa';
import { configOf } from '../../projections/telephony_views';
import type { Failure } from '../core/failure';
import type { OrganizationId } from '../core/ids';
import type { Api } from './api';
import { findTelephony } from './resources';

/** What a document knows of the last event that changed its resource. */
interface Versioned {
  readonly etag: string;
  /** Of the stream. */
  readonly revision: number;
}

const STALE: Failure = {
  kind: 'stale',
  message: 'It was changed since: read it again and repeat the change with its new ETag',
};

/** `ifRevision` for the command; nothing without the header, and then `find` is not asked. Left: 412. */
export const ifMatch = async (
  ctx: Context,
  find: () => Promise<Versioned | null>,
): Promise<Either<Failure, { readonly ifRevision?: number }>> => {
  const header = ctx.get('If-Match').trim();
  if (header === '' || header === '*') return right({});
  const known = await find();
  if (known === null) return right({}); // the command says that it is not there
  const tags = header.split(',').map((tag) => tag.trim().replaceAll('"', ''));
  return tags.includes(known.etag) ? right({ ifRevision: known.revision }) : left(STALE);
};

/** The same for a telephony configuration, whose numbers and trunks change with it. */
export const ifConfigMatch = (api: Api, ctx: Context, org: OrganizationId, configId: number) =>
  ifMatch(ctx, async () => configOf(await findTelephony(api, org), configId));
