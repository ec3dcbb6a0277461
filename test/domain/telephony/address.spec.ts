import fc from 'fast-check';
import { lacksCountry, normalizeAddress } from '../../../src/domain/telephony/address';

const normalized = (address: string, country: string | null = null) =>
  normalizeAddress(address, country).address_normalized;
const typed = (address: string) => normalizeAddress(address).address_type;

describe('a phone number', () => {
  test.each([
    ['+14155551234', null, '+14155551234'],
    ['+1 (415) 555-1234', null, '+14155551234'],
    ['14155551234', null, '+14155551234'],
    ['4155551234', 'US', '+14155551234'],
    ['14155551234', 'US', '+14155551234'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['09876543210', 'in', '+919876543210'],
    ['+442079460958', 'US', '+442079460958'],
    ['61491570156', 'XX', '+61491570156'],
  ])('%s with country %s is %s', (address, country, expected) => {
    expect(normalizeAddress(address, country)).toEqual({ address_normalized: expected, address_type: 'pstn' });
  });

  test('stays as it is where the country code would make it too long', () => {
    expect(normalized('123456789012345', 'DE')).toBe('+123456789012345');
  });

  test('lacks its country when it has neither plus sign nor hint', () => {
    expect(['4155551234', ' (415) 555-1234 '].map(lacksCountry)).toEqual([true, true]);
    expect(['+14155551234', '1234567', 'sip:a@b', 'front-desk'].map(lacksCountry)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('a SIP URI', () => {
  test.each([
    ['SIP:Alice@Example.COM', 'sip:Alice@example.com'],
    ['sip:alice@example.com:5060', 'sip:alice@example.com'],
    ['sips:alice@example.com:5061;Transport=TLS', 'sips:alice@example.com;transport=tls'],
    ['sips:alice@example.com:5060', 'sips:alice@example.com:5060'],
    ['sip:[2001:DB8::1]:5080', 'sip:[2001:db8::1]:5080'],
    ['sip:example.com', 'sip:example.com'],
  ])('%s is %s', (address, expected) => {
    expect(normalizeAddress(address)).toEqual({ address_normalized: expected, address_type: 'sip_uri' });
  });
});

test('anything else is an extension in lower case', () => {
  expect(normalizeAddress(' Front-Desk ')).toEqual({ address_normalized: 'front-desk', address_type: 'sip_extension' });
  expect(typed('1001')).toBe('sip_extension');
  expect(typed('PJSIP/1001')).toBe('sip_extension');
});

describe('whatever is typed', () => {
  const country = fc.constantFrom(null, 'US', 'GB', 'IN', 'LU', 'XX');
  const piece = fc.tuple(fc.stringMatching(/^[0-9]{2,4}$/), fc.constantFrom('', ' ', '-', ') ('));
  const digits = fc
    .tuple(fc.constantFrom('', '+'), fc.array(piece, { minLength: 2, maxLength: 5 }))
    .map(([plus, pieces]) => plus + pieces.flat().join(''));
  const uri = fc
    .tuple(
      fc.constantFrom('sip', 'SIPS'),
      fc.stringMatching(/^[A-Za-z0-9.]{1,8}$/),
      fc.domain(),
      fc.integer({ min: 1, max: 65535 }),
    )
    .map(([scheme, user, host, port]) => `${scheme}:${user}@${host}:${port}`);
  const address = fc.oneof(
    digits,
    uri,
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  );

  test('normalizing again changes nothing', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(address, country, (text, hint) => {
        const once = normalizeAddress(text, hint);
        seen.add(once.address_type);
        expect(normalizeAddress(once.address_normalized)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
    expect([...seen].sort()).toEqual(['pstn', 'sip_extension', 'sip_uri']);
  });

  test('a number is a plus sign and 8 to 15 digits', () => {
    let numbers = 0;
    fc.assert(
      fc.property(digits, country, (text, hint) => {
        const { address_normalized, address_type } = normalizeAddress(text, hint);
        if (address_type !== 'pstn') return;
        numbers++;
        expect(address_normalized).toMatch(/^\+\d{8,15}$/);
      }),
      { numRuns: 1000 },
    );
    expect(numbers).toBeGreaterThan(0);
  });
});
