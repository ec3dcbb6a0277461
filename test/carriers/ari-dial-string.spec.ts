import * as E from 'fp-ts/Either';
import fc from 'fast-check';
import { dialString } from '../../src/carriers/ari/dial-string';

describe('the dial string', () => {
  it.each([
    ['PJSIP/{number}', '+15550100', 'PJSIP/+15550100'],
    ['PJSIP/{number}@trunk', '+15550100', 'PJSIP/+15550100@trunk'],
    ['PJSIP/trunk/sip:{number}@host', '15550100', 'PJSIP/trunk/sip:15550100@host'],
    ['Local/{number}@from-internal', '100', 'Local/100@from-internal'],
    ['{number}/{number}', 'a', 'a/a'],
    // A technology is dialled as written, whatever the template.
    ['PJSIP/{number}@trunk', 'PJSIP/100@other', 'PJSIP/100@other'],
    ['PJSIP/{number}@trunk', 'Local/100@ctx/n', 'Local/100@ctx/n'],
    ['nothing', 'SIP/100', 'SIP/100'],
    // A SIP URI goes through the endpoint that the template names.
    ['PJSIP/{number}@trunk', 'sip:alice@example.com', 'PJSIP/trunk/sip:alice@example.com'],
    ['PJSIP/trunk/sip:{number}@host', 'sips:alice@example.com', 'PJSIP/trunk/sips:alice@example.com'],
    ['PJSIP/{number}', 'sip:alice@example.com', 'PJSIP/sip:alice@example.com'],
    ['SIP/{number}', 'sip:alice@example.com', 'SIP/sip:alice@example.com'],
    // `$&` and the like are text, not a pattern.
    ['PJSIP/{number}@trunk', '$1', 'PJSIP/$1@trunk'],
  ])('of %j and %j is %j', (template, to, expected) => {
    expect(dialString(template, to)).toEqual(E.right(expected));
  });

  it.each(['', ' ', '1 2', '1,2', '1&2', '1\n2', '1\u0000', '\u007f', 'PJSIP/a,b'])('refuses %j', (to) => {
    expect(E.isLeft(dialString('PJSIP/{number}@trunk', to))).toBe(true);
  });

  it('refuses a template that would call the same place for every contact', () => {
    expect(E.isLeft(dialString('PJSIP/100@trunk', '+15550100'))).toBe(true);
  });

  it('never lets through what would fork the dial, and never quotes the number in a refusal', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 5 }), (to) => {
        const result = dialString('PJSIP/{number}@trunk', to);
        if (E.isRight(result)) expect(result.right).not.toMatch(/[\s,&]/);
        else expect(result.left).not.toContain(to);
      }),
    );
  });
});
