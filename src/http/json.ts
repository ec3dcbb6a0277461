/**
 * JSON bodies. `JSON.parse` reads; only when it fails does a scanner of RFC 8259 look for the place, since the engine's own message gives no
 * reliable offset and quotes the text, which may hold a credential.
 */
import { left, right, type Either } from 'fp-ts/Either';

export interface JsonFault {
  /** Characters before the fault. */
  readonly offset: number;
  readonly message: string;
}

/** Levels of objects and lists that a body may have. */
export const MAX_DEPTH = 128;
/**
 * Objects, lists, their fields and their items in one body. The event loop stands still while a body is parsed and gone through, and that takes
 * as long as it has values, not bytes: 2 MiB of `{},` are 700,000 of them. A definition that fits into one append has seldom a tenth of these.
 */
export const MAX_VALUES = 50_000;

/** Never throws, whatever the text. */
export const parseJson = (text: string): Either<JsonFault, unknown> => {
  const beyond = text.length > 2 * MAX_DEPTH ? beyondBounds(text) : null;
  if (beyond !== null) {
    const broken = locateFault(text.slice(0, beyond.offset));
    return left(broken.offset < beyond.offset ? broken : beyond);
  }
  try {
    return right(JSON.parse(text));
  } catch {
    return left(locateFault(text));
  }
};

/** The bracket or comma with which valid JSON goes too deep or has too many values; null when it does neither. */
const beyondBounds = (text: string): JsonFault | null => {
  let depth = 0;
  let values = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 92) i++;
      else if (c === 34) quoted = false;
    } else if (c === 34) quoted = true;
    else if (c === 123 || c === 91) {
      if (++depth > MAX_DEPTH) return { offset: i, message: `More than ${MAX_DEPTH} levels of objects and lists` };
      values++;
    } else if (c === 125 || c === 93) depth--;
    else if (c === 44) values++;
    if (values > MAX_VALUES) return { offset: i, message: `More than ${MAX_VALUES} values` };
  }
  return null;
};

const STRING = /"(?:[ !#-[\]-\u{10FFFF}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

/** Where text stops being JSON. Iterative: the stack holds the brackets that are open. */
const locateFault = (text: string): JsonFault => {
  const open: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const space = (): string => {
    take(SPACE);
    return text[at] ?? '';
  };
  const fault = (message: string): JsonFault => ({ offset: at, message });

  /** A member's name and its colon. */
  const name = (): JsonFault | null => {
    if (space() !== '"') return fault('Expecting property name enclosed in double quotes');
    if (!take(STRING)) return fault('Unterminated or invalid string');
    if (space() !== ':') return fault("Expecting ':' delimiter");
    at++;
    return null;
  };

  for (;;) {
    const c = space();
    if (c === '{' || c === '[') {
      at++;
      const close = c === '{' ? '}' : ']';
      if (space() !== close) {
        open.push(close);
        const wrong = c === '{' ? name() : null;
        if (wrong !== null) return wrong;
        continue;
      }
      at++;
    } else if (c === '"') {
      if (!take(STRING)) return fault('Unterminated or invalid string');
    } else if (!take(SCALAR)) return fault('Expecting value');

    // A value is complete: close what ends here, or go on to the next member.
    for (;;) {
      const next = space();
      const close = open.at(-1);
      if (close === undefined) return fault(at < text.length ? 'Extra data' : 'Not JSON');
      if (next === close) {
        at++;
        open.pop();
        continue;
      }
      if (next !== ',') return fault(`Expecting ',' delimiter`);
      at++;
      const wrong = close === '}' ? name() : null;
      if (wrong !== null) return wrong;
      break;
    }
  }
};
