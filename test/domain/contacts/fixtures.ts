import { Readable } from 'node:stream';
import type { Either } from 'fp-ts/Either';
import type { Failure } from '../../../src/core/failure';
import { contactBatches } from '../../../src/domain/campaign/contact-batches';
import { contactCheck, type ContactList, type ContactRules } from '../../../src/domain/campaign/contact-check';
import type { ContactData } from '../../../src/domain/campaign/events';
import { readContacts, scanContacts } from '../../../src/engine/contacts-csv';

export const RULES: ContactRules = { e164Only: true, required: [], recordingExists: () => false };

/** A file as a stream in pieces of `size` bytes. */
export const pieces = (content: string | Buffer, size = 64 * 1024): Readable => {
  const bytes = Buffer.from(content);
  const chunks: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
  return Readable.from(chunks, { objectMode: true });
};

export const scan = (
  content: string | Buffer,
  rules: Partial<ContactRules> = {},
  size?: number,
): Promise<Either<Failure, ContactList & { readonly sha256: string }>> =>
  scanContacts(pieces(content, size), contactCheck({ ...RULES, ...rules }));

/** Asserts that a list passes and returns what was found. */
export const passes = async (content: string | Buffer, rules: Partial<ContactRules> = {}, size?: number) => {
  const result = await scan(content, rules, size);
  if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
  return result.right;
};

export interface Rejection {
  readonly message: string;
  readonly errors: readonly { readonly row: number; readonly column: string; readonly message: string }[];
  readonly error_count: number;
}

/** Asserts that a list is rejected and returns why. */
export const fails = async (
  content: string | Buffer,
  rules: Partial<ContactRules> = {},
  size?: number,
): Promise<Rejection> => {
  const result = await scan(content, rules, size);
  if (result._tag === 'Right') throw new Error('the list passed');
  if (result.left.kind !== 'rejected') throw new Error(JSON.stringify(result.left));
  return { errors: [], error_count: 0, ...result.left } as unknown as Rejection;
};

/** All contacts of a list, by batch. */
export const batchesOf = async (
  content: string | Buffer,
  limits?: { readonly contacts: number; readonly characters: number },
  size?: number,
) => {
  const reading = readContacts(pieces(content, size), contactBatches(true, limits));
  const batches: (readonly ContactData[])[] = [];
  for await (const batch of reading.batches) batches.push(batch);
  return { batches, contacts: batches.flat(), outcome: reading.outcome() };
};
