/** The demo's contact list: invented people behind numbers of the range reserved for fiction (555-01xx is too small, so 555 area codes). */

/** mulberry32: a small seeded generator (public domain, Tommy Ettinger). */
export const seeded = (seed: number): (() => number) => {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const FIRST = [
  'Ada',
  'Blaise',
  'Chandra',
  'Dana',
  'Emil',
  'Farah',
  'Grace',
  'Hiro',
  'Ines',
  'Jonas',
  'Kofi',
  'Lena',
  'Mateo',
  'Nadia',
  'Omar',
];
const CITY = ['Lisbon', 'Nairobi', 'Osaka', 'Quito', 'Riga', 'Tunis', 'Utrecht', 'Windhoek'];

/** A CSV of `count` different numbers, line by line, the same for the same seed. */
export function* contactLines(count: number, seed: number): Generator<string> {
  const random = seeded(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] as string;
  const start = Math.floor(random() * 1_000_000);
  yield 'phone_number,first_name,city\n';
  for (let i = 0; i < count; i++)
    yield `+1555${String((start + i * 7) % 10_000_000).padStart(7, '0')},${pick(FIRST)},${pick(CITY)}\n`;
}

export const contactList = (count: number, seed: number): string => [...contactLines(count, seed)].join('');
