/** Checks hash chains along one pass over the whole log. Memory per stream: its name, its last revision, its last hash (32 bytes). */
import type { RecordedEvent } from '../core/event';
import { organizationOf } from '../core/ids';
import { continuesChain, NO_HASH } from './envelope';

export interface ChainCheck {
  /** What is wrong with the next event of the log; null: nothing. */
  next(event: RecordedEvent): string | null;
  streams(): number;
}

const HASH = 32;

export const chainCheck = (): ChainCheck => {
  const places = new Map<string, number>();
  let hashes = Buffer.alloc(HASH * 1024);
  let revisions = new Int32Array(1024);
  let position = '';

  const placeOf = (stream: string): number => {
    let place = places.get(stream);
    if (place !== undefined) return place;
    place = places.size;
    if (place === revisions.length) {
      hashes = Buffer.concat([hashes, Buffer.alloc(hashes.length)]);
      const grown = new Int32Array(revisions.length * 2);
      grown.set(revisions);
      revisions = grown;
    }
    places.set(stream, place);
    revisions[place] = -1;
    return place;
  };

  return {
    streams: () => places.size,
    next: (event) => {
      const place = placeOf(event.stream);
      const last = revisions[place] as number;
      const previous = last < 0 ? NO_HASH : hashes.toString('hex', place * HASH, (place + 1) * HASH);
      const inOrder = event.position > position;
      position = event.position;
      revisions[place] = event.revision;
      // What follows is judged by this event, so that one fault is told once.
      hashes.fill(0, place * HASH, (place + 1) * HASH);
      hashes.write(event.metadata.hash, place * HASH, HASH, 'hex');
      if (!inOrder) return 'its position does not follow the one before';
      if (event.revision !== last + 1)
        return event.revision > last + 1
          ? `revision ${last + 1} is missing before it`
          : `revision ${event.revision} comes after revision ${last}`;
      const org = organizationOf(event.stream);
      if ((org === null ? 'system' : String(org)) !== event.metadata.org) return 'it names another organization';
      return continuesChain(previous, event)
        ? null
        : 'its hash does not continue the chain: it, or the one before, was changed';
    },
  };
};
