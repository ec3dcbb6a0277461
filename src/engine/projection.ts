/** What a read model is: a pure fold of events into documents. projections/ holds one file for each. */
import type { JsonObject } from '../core/event';
import type { OrganizationId, StreamCategory } from '../core/ids';
import type { Position } from '../core/position';
import type { Condition, Index, Query } from '../ports/read-store';

/** An event as a projection sees it: today's shape, sealed values opened where the projection asks for it (null where the key is gone). */
export interface ProjectedEvent<Type extends string = string, Data = JsonObject> {
  readonly id: string;
  readonly type: Type;
  readonly data: Data;
  readonly org: OrganizationId;
  readonly actor: string;
  /** ISO 8601. */
  readonly at: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

/** The events that a table of event types describes, as a projection sees them. */
export type Projected<E extends { readonly type: string; readonly data: unknown }> = E extends unknown
  ? ProjectedEvent<E['type'], E['data']>
  : never;

/** Counts along the log, apart from the fold, and compares with what was folded. */
export interface Audit {
  /** Every event of the projection's categories, in order. */
  readonly see: (event: ProjectedEvent) => void;
  /** What does not agree, one text each. */
  readonly compare: (folded: FoldedDocuments) => Promise<readonly string[]>;
}

/** Documents folded to the same position as the audit, by the projection's name. */
export interface FoldedDocuments {
  /** Whether that projection was folded, and to the audit's position. */
  has(projection: string): boolean;
  get(projection: string, key: string): Promise<JsonObject | null>;
  count(projection: string, where: readonly Condition[]): Promise<number>;
}

export interface Projection<Doc extends object = JsonObject> {
  readonly name: string;
  /** Raised with every change of shape or meaning; the rebuilt one replaces the old in one step. */
  readonly version: number;
  /** Streams that it reads. */
  readonly categories: readonly StreamCategory[];
  /** Event types that it folds; absent: every type of its categories. Others are passed over unread. */
  readonly types?: readonly string[];
  /** Event types whose sealed values it must see opened. */
  readonly opens: readonly string[];
  /** Event types whose sealed values it sees masked (core/mask.ts): it never holds the secret itself. */
  readonly masks?: readonly string[];
  /** No document depends on the one before it, so that none is read before it is written, nor held afterwards. */
  readonly insertOnly?: boolean;
  readonly indexes: readonly Index[];
  /** Keys of the documents that the event touches. */
  readonly keys: (event: ProjectedEvent) => readonly string[];
  /** An independent count of what the documents say, for `verify`. */
  readonly audit?: () => Audit;
  /** The document after the event; null: none (any more). Pure. Throws only on an event that can't be (poison). */
  readonly evolve: (document: Doc | null, event: ProjectedEvent, key: string) => Doc | null;
}

/** A projection whose documents are told apart no longer: what the loops work with. */
export const untyped = <Doc extends object>(projection: Projection<Doc>): Projection =>
  projection as unknown as Projection;

/** Collection of a projection's version. */
export const collectionOf = (projection: Pick<Projection, 'name' | 'version'>): string =>
  `${projection.name}_v${projection.version}`;

/** Read models as queries see them: the live version of each. Rejects when the read store is away. */
export interface Views {
  get<Doc extends object>(projection: Projection<Doc>, key: string): Promise<Doc | null>;
  find<Doc extends object>(projection: Projection<Doc>, query: Query): Promise<readonly Doc[]>;
  count<Doc extends object>(projection: Projection<Doc>, where: readonly Condition[]): Promise<number>;
}
