/**
 * The place of an event in the whole store: 20 decimal digits, zero-padded, so that text order is position order in every engine.
 * Positions are only compared and carried, never computed.
 */
export type Position = string & { readonly Position: unique symbol };

/** Before the first event of a store. */
export const START = '00000000000000000000' as Position;

/** Pads what an engine counts with (an integer, a log offset). */
export const positionOf = (n: number | bigint): Position => n.toString().padStart(20, '0') as Position;

/** What the engine counts with, back from a position. */
export const offsetOf = (position: Position): bigint => BigInt(position);

/** Accepts text that is a position, e.g. read back from a document. */
export const parsePosition = (text: string): Position | null => (/^\d{20}$/.test(text) ? (text as Position) : null);

export const laterOf = (a: Position, b: Position): Position => (a < b ? b : a);
