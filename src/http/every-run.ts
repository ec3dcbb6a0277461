/** Every run that meets conditions, page by page, whatever their number. */
import { runs, type RunDoc } from '../../projections/runs';
import type { Condition } from '../ports/read-store';
import type { Api } from './api';

const PAGE = 500;

/**
 * Ordered by creation. Each page begins where the one before ended, so that the last page costs what the first does; runs of the same instant
 * are told apart by how many were seen already.
 */
export async function* everyRun(
  api: Api,
  where: readonly Condition[],
  descending: boolean,
): AsyncGenerator<readonly RunDoc[], void> {
  let from: string | null = null;
  let seen = 0;
  for (;;) {
    const bound: readonly Condition[] =
      from === null ? [] : [descending ? { field: 'created_at', to: from } : { field: 'created_at', from }];
    const docs = await api.platform.views.find(runs, {
      where: [...where, ...bound],
      sort: { field: 'created_at', descending },
      skip: seen,
      limit: PAGE,
    });
    const last = docs.at(-1);
    if (last === undefined) return;
    yield docs;
    const same = docs.filter((d) => d.created_at === last.created_at).length;
    seen = last.created_at === from ? seen + docs.length : same;
    from = last.created_at;
    if (docs.length < PAGE) return;
  }
}
