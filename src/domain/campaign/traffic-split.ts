/**
 * How a campaign's calls are shared among agents. A contact's variant depends only on the split's seed, its stored variants and the number,
 * so that retries and redials stay with it and nothing has to be remembered per contact.
 */
import { createHash } from 'node:crypto';
import type { TrafficSplit, Variant } from './events';

/** Buckets that numbers are spread over; one percent of weight is a hundred of them. */
const BUCKETS = 10_000;
const BUCKETS_PER_PERCENT = BUCKETS / 100;

/** A variant as a request names it. */
export type RequestedVariant = Omit<Variant, 'id'>;

/** `<workflow_id>:<definition_id>` or `<workflow_id>:latest`. */
export const variantId = (workflowId: number, definitionId: number | null): string =>
  `${workflowId}:${definitionId ?? 'latest'}`;

/** The bucket (0 to 9,999) of a number: the first 8 bytes of SHA-256 over `<seed>:<number trimmed>`, big-endian, modulo 10,000. */
export const bucket = (seed: string, phone: string): number => {
  const digest = createHash('sha256').update(`${seed}:${phone.trim()}`, 'utf8').digest();
  return Number(digest.readBigUInt64BE(0) % BigInt(BUCKETS));
};

/** The variant that a number belongs to: the first, in stored order, whose cumulative weight exceeds its bucket. */
export const chooseVariant = (split: TrafficSplit, phone: string): Variant => {
  const place = bucket(split.seed, phone);
  let edge = 0;
  for (const variant of split.variants) {
    edge += variant.weight * BUCKETS_PER_PERCENT;
    if (place < edge) return variant;
  }
  throw new Error(`the weights of a traffic split total ${edge / BUCKETS_PER_PERCENT}, not 100`);
};

/** What a campaign without a split dials: one agent, its latest version. */
export const plainVariant = (workflowId: number): Variant => ({
  id: variantId(workflowId, null),
  workflow_id: workflowId,
  workflow_definition_id: null,
  weight: 100,
});

/** The agent that stands for the campaign: the heaviest variant's, the first in stored order among equals. */
export const primaryAgent = (variants: readonly Variant[]): number =>
  variants.reduce((best, variant) => (variant.weight > best.weight ? variant : best)).workflow_id;

const sameVariant = (a: Variant, b: Variant | undefined): boolean => a.id === b?.id && a.weight === b.weight;

/**
 * The split after a request. Variants that stay keep their stored order, new ones follow in the order of the request: a request that only
 * changes the order changes nothing. The seed lives as long as the campaign; `makeSeed` is asked only for a first split.
 */
export const reviseSplit = (
  previous: TrafficSplit | null,
  requested: readonly RequestedVariant[],
  makeSeed: () => string,
): { readonly split: TrafficSplit; readonly changed: boolean } => {
  const wanted = new Map(
    requested.map(({ workflow_id, workflow_definition_id, weight }) => {
      const id = variantId(workflow_id, workflow_definition_id);
      return [id, { id, workflow_id, workflow_definition_id, weight }];
    }),
  );
  if (previous === null)
    return { split: { seed: makeSeed(), revision: 1, variants: [...wanted.values()] }, changed: true };
  const kept = previous.variants.flatMap(({ id }) => wanted.get(id) ?? []);
  const known = new Set(kept.map(({ id }) => id));
  const variants = [...kept, ...[...wanted.values()].filter(({ id }) => !known.has(id))];
  const changed =
    variants.length !== previous.variants.length || !variants.every((v, i) => sameVariant(v, previous.variants[i]));
  return changed
    ? { split: { seed: previous.seed, revision: previous.revision + 1, variants }, changed }
    : { split: previous, changed };
};
