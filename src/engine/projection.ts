/** What a read model is: a pure fold of events into documents. projections/ holds one file for each. */
import type { JsonObject } from '../core/event';
import type { OrganizationId, StreamCategory } from '../core/ids';
import type { Position } from '../core/position';
import type { Index } from '../ports/read-store';

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

export interface Projection<Doc extends object = JsonObject> {
  readonly name: string;
  /** Raised with every change of shape or meaning; the rebuilt one replaces the old in one step. */
  readonly version: number;
  /** Streams that it reads. */
  readonly categories: readonly StreamCategory[];
  /** Event types whose sealed values it must see opened. */
  readonly opens: readonly string[];
  readonly indexes: readonly Index[];
  /** Keys of the documents that the event touches. */
  readonly keys: (event: ProjectedEvent) => readonly string[];
  /** The document after the event; null: none (any more). Pure. Throws only on an event that can't be (poison). */
  readonly evolve: (document: Doc | null, event: ProjectedEvent, key: string) => Doc | null;
}

/** Collection of a projection's version. */
export const collectionOf = (projection: Pick<Projection, 'name' | 'version'>): string =>
  `${projection.name}_v${projection.version}`;

/** Read models as queries see them: the live version of each. Rejects when the read store is away. */
export interface Views {
  get<Doc extends object>(projection: Projection<Doc>, key: string): Promise<Doc | null>;
  find<Doc extends object>(
    projection: Projection<Doc>,
    query: import('../ports/read-store').Query,
  ): Promise<readonly Doc[]>;
  count<Doc extends object>(
    projection: Projection<Doc>,
    where: readonly import('../ports/read-store').Condition[],
  ): Promise<number>;
}
