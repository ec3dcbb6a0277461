/** Shapes that several resources share. They describe answers, for the document and for the tests that hold answers to it. */
import { Codec, freeObject, integer, nullable, object, required, text } from '../../core/codec';

export const int: Codec<number> = integer();
export const nullableInt = nullable(int);
export const string = text();
export const nullableString = nullable(string);
export const dateTime = text({ description: 'ISO 8601 date-time', example: '2026-01-31T12:00:00.000Z' });
export const nullableDateTime = nullable(dateTime);
export const anyObject = freeObject;
export const nullableObject = nullable(freeObject);

/** A map from words to counts. */
export const counts: Codec<unknown> = new Codec<unknown>('Counts', (u, c) => freeObject.validate(u, c), {
  type: 'object',
  additionalProperties: { type: 'integer' },
});

export const Message = object('Message', { message: required(string) });
