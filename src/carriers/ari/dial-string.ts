/** From a contact's number and a configuration's template to what Asterisk dials. Pure. */
import * as E from 'fp-ts/Either';

/** The template of a configuration that names none. */
export const defaultTemplate = 'PJSIP/{number}';

const technology = /^[A-Za-z0-9_]+\//;

const sipUri = /^sips?:/i;

/** `&` would fork the dial, `,` splits arguments; neither, nor a space or a control character, can be part of a destination. */
// eslint-disable-next-line no-control-regex
const forbidden = /[\s,&\u0000-\u001f\u007f]/;

/** The PJSIP endpoint that a template names: `PJSIP/{number}@trunk` and `PJSIP/trunk/sip:{number}@host` both name `trunk`. */
const endpointOf = (template: string): string | null =>
  /^PJSIP\/\{number\}@([^/@]+)$/i.exec(template)?.[1] ?? /^PJSIP\/([^/{@]+)\/./i.exec(template)?.[1] ?? null;

/**
 * The endpoint parameter of an originate request. A value that starts with a technology (`PJSIP/`, `Local/`, ...) is dialled as written;
 * a SIP URI goes through the endpoint that the template names; anything else takes the place of `{number}`.
 * Left: why it cannot be dialled, in words that never contain the number.
 */
export const dialString = (template: string, to: string): E.Either<string, string> => {
  if (to === '') return E.left('The destination is empty');
  if (forbidden.test(to)) return E.left('The destination contains a space, comma, ampersand or control character');
  if (technology.test(to)) return E.right(to);
  if (sipUri.test(to)) {
    const endpoint = endpointOf(template);
    if (endpoint !== null) return E.right(`PJSIP/${endpoint}/${to}`);
    if (/^PJSIP\//i.test(template)) return E.right(`PJSIP/${to}`);
  }
  if (!template.includes('{number}')) return E.left('The dial string template lacks {number}');
  return E.right(template.split('{number}').join(to));
};
