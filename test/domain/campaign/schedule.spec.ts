import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { ScheduleConfig } from '../../../src/domain/campaign/events';
import { isOpen, isTimezone, nextClosing, nextOpening } from '../../../src/domain/campaign/schedule';

type Slot = readonly [day: number, start: string, end: string];
const schedule = (timezone: string, ...slots: readonly Slot[]): ScheduleConfig => ({
  enabled: true,
  timezone,
  slots: slots.map(([day_of_week, start_time, end_time]) => ({ day_of_week, start_time, end_time })),
});
const at = (text: string): number => Date.parse(text.includes('T') ? text : text.replace(' ', 'T') + 'Z');
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const NEW_YORK = schedule('America/New_York', [0, '09:00', '17:00']);
const ALL_SUNDAY = schedule('UTC', [6, '00:00', '24:00']);
const NIGHT = schedule('UTC', [4, '22:00', '24:00'], [5, '00:00', '06:00']);

it.each([
  ['office hours', NEW_YORK, '2026-09-21 12:59:59', false],
  ['office hours', NEW_YORK, '2026-09-21 13:00:00', true],
  ['office hours', NEW_YORK, '2026-09-21 20:59:59', true],
  ['office hours', NEW_YORK, '2026-09-21 21:00:00', false],
  ['office hours', NEW_YORK, '2026-09-22 13:00:00', false],
  ['a whole day', ALL_SUNDAY, '2026-09-20 00:00:00', true],
  ['a whole day', ALL_SUNDAY, '2026-09-20 23:59:59', true],
  ['a whole day', ALL_SUNDAY, '2026-09-21 00:00:00', false],
  ['a night', NIGHT, '2026-09-18 21:59:59', false],
  ['a night', NIGHT, '2026-09-18 22:00:00', true],
  ['a night', NIGHT, '2026-09-18 23:59:59', true],
  ['a night', NIGHT, '2026-09-19 00:00:00', true],
  ['a night', NIGHT, '2026-09-19 05:59:59', true],
  ['a night', NIGHT, '2026-09-19 06:00:00', false],
])('%s is open or closed at its edges (%#)', (_, window, instant, open) =>
  expect(isOpen(window, at(instant))).toBe(open),
);

describe('a window that does not restrict', () => {
  it.each([
    ['none', null],
    ['a disabled one', { ...NEW_YORK, enabled: false }],
    ['one without slots', { ...NEW_YORK, slots: [] }],
  ])('%s is always open and never closes', (_, window) => {
    const now = at('2026-09-22 03:00:00');
    expect(isOpen(window, now)).toBe(true);
    expect(nextOpening(window, now)).toBe(now);
    expect(nextClosing(window, now)).toBeNull();
  });
});

describe('an unknown time zone', () => {
  it('keeps the window closed: a call outside its hours is worse than none', () => {
    const window = schedule('Mars/Olympus', [0, '00:00', '24:00']);
    const now = at('2026-09-21 12:00:00');
    expect(isOpen(window, now)).toBe(false);
    expect(nextOpening(window, now)).toBeNull();
    expect(nextClosing(window, now)).toBe(now);
  });
  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Etc/GMT+5', 'US/Eastern'])('is not %s', (zone) =>
    expect(isTimezone(zone)).toBe(true),
  );
  it.each(['Mars/Olympus', '', '+05:00', 'local', 'GMT+25', ' UTC', 'UTC\n'])('is %j', (zone) =>
    expect(isTimezone(zone)).toBe(false),
  );
});

describe('daylight saving', () => {
  // New York 2026: clocks go forward on 8 March at 02:00 (07:00 UTC), back on 1 November at 02:00 (06:00 UTC).
  it('a slot inside the skipped hour does not open on that day', () => {
    const window = schedule('America/New_York', [6, '02:00', '03:00']);
    for (let t = at('2026-03-08 00:00:00'); t < at('2026-03-09 04:00:00'); t += 60_000)
      expect(isOpen(window, t)).toBe(false);
    expect(iso(nextOpening(window, at('2026-03-08 00:00:00')))).toBe('2026-03-15T06:00:00.000Z');
  });
  it('a slot that reaches over the skipped hour opens when the clock has jumped into it', () => {
    const window = schedule('America/New_York', [6, '02:30', '05:00']);
    expect(isOpen(window, at('2026-03-08 06:59:59'))).toBe(false);
    expect(isOpen(window, at('2026-03-08 07:00:00'))).toBe(true);
    expect(iso(nextOpening(window, at('2026-03-08 05:00:00')))).toBe('2026-03-08T07:00:00.000Z');
    expect(iso(nextClosing(window, at('2026-03-08 07:00:00')))).toBe('2026-03-08T09:00:00.000Z');
  });
  it('a slot inside the repeated hour opens twice', () => {
    const window = schedule('America/New_York', [6, '01:00', '01:30']);
    expect(isOpen(window, at('2026-11-01 05:15:00'))).toBe(true);
    expect(isOpen(window, at('2026-11-01 05:45:00'))).toBe(false);
    expect(isOpen(window, at('2026-11-01 06:15:00'))).toBe(true);
    expect(iso(nextOpening(window, at('2026-11-01 05:45:00')))).toBe('2026-11-01T06:00:00.000Z');
  });
  it('a slot that ends in the repeated hour closes at its first end', () => {
    const window = schedule('America/New_York', [6, '00:00', '01:30']);
    expect(iso(nextClosing(window, at('2026-11-01 04:30:00')))).toBe('2026-11-01T05:30:00.000Z');
  });
});

describe('edges of days', () => {
  it('29 February is a day of the week like any other', () => {
    const window = schedule('Europe/Berlin', [1, '23:00', '24:00']);
    expect(isOpen(window, at('2028-02-29 22:30:00'))).toBe(true);
    expect(isOpen(window, at('2028-02-29 23:00:00'))).toBe(false);
  });
  it('Sunday night runs on into Monday without a gap', () => {
    const window = schedule('UTC', [6, '22:00', '24:00'], [0, '00:00', '06:00']);
    expect(iso(nextClosing(window, at('2026-09-20 23:00:00')))).toBe('2026-09-21T06:00:00.000Z');
  });
  it('a window of the whole week never closes', () => {
    const window = schedule('Europe/Berlin', ...[0, 1, 2, 3, 4, 5, 6].map((d): Slot => [d, '00:00', '24:00']));
    expect(nextClosing(window, at('2026-09-20 23:00:00'))).toBeNull();
  });
  it('a zone with an offset of 45 minutes opens by its own clock', () =>
    expect(iso(nextOpening(schedule('Asia/Kathmandu', [0, '09:00', '10:00']), at('2026-09-21 00:00:00')))).toBe(
      '2026-09-21T03:15:00.000Z',
    ));
  it('slots that overlap count as one', () => {
    const window = schedule('UTC', [0, '09:00', '12:00'], [0, '11:00', '13:00'], [0, '09:30', '10:00']);
    expect(iso(nextClosing(window, at('2026-09-21 09:10:00')))).toBe('2026-09-21T13:00:00.000Z');
  });
});

/** The rule said plainly: today's weekday, and start <= HH:MM < end as text. */
const plainly = (window: ScheduleConfig, now: number): boolean => {
  const local = DateTime.fromMillis(now, { zone: window.timezone });
  const clock = local.toFormat('HH:mm');
  return window.slots.some((s) => s.day_of_week === local.weekday - 1 && s.start_time <= clock && clock < s.end_time);
};

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const slots = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 }))
    .map(([day, start, length]): Slot => [day, clock(start), clock(Math.min(1440, start + length))]),
  { minLength: 1, maxLength: 6 },
);
const windows = fc
  .tuple(
    fc.constantFrom(
      'UTC',
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Africa/Casablanca',
    ),
    slots,
  )
  .map(([zone, list]) => schedule(zone, ...list));
// Half of the instants near clock changes of 2026.
const CHANGES = [
  '2026-03-08 07:00',
  '2026-11-01 06:00',
  '2026-03-29 01:00',
  '2026-10-25 01:00',
  '2026-04-04 15:00',
  '2026-10-03 15:30',
];
const instants = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2029, 0) }),
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -7_200_000, max: 7_200_000 }))
    .map(([change, off]) => at(`${change}:00`) + off),
);

it('is open exactly when the wall clock says so', () => {
  fc.assert(
    fc.property(windows, instants, (window, now) => {
      expect(isOpen(window, now)).toBe(plainly(window, now));
    }),
    { numRuns: 600 },
  );
});

it('opens and closes next exactly at the first minute that differs', () => {
  let seen = 0;
  fc.assert(
    fc.property(windows, instants, fc.boolean(), (window, now, open) => {
      const found = open ? nextOpening(window, now) : nextClosing(window, now);
      if (isOpen(window, now) === open) return expect(found).toBe(now);
      const minute = Math.floor(now / 60_000) * 60_000;
      const limit = found ?? minute + 8 * 86_400_000;
      for (let t = minute; t < limit; t += 60_000) if (isOpen(window, t) === open) throw new Error(`missed ${iso(t)}`);
      if (found !== null) {
        seen += 1;
        expect(found % 60_000).toBe(0);
        expect(isOpen(window, found)).toBe(open);
      }
    }),
    { numRuns: 150 },
  );
  expect(seen).toBeGreaterThan(40);
});
