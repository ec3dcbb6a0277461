/**
 * Calling windows: weekly slots in one IANA time zone, compared by the wall clock. A slot inside the hour that a clock change skips does not
 * open on that day; one inside the hour that is repeated opens twice.
 *
 * Offsets of time zones are whole minutes (since 1972), so a window's state is constant within a minute.
 */
import { IANAZone } from 'luxon';
import type { ScheduleConfig } from './events';

const MINUTE = 60_000;
const HOUR = 60;
const DAY = 1440;
const WEEK = 7 * DAY;
/** 1970-01-05, a Monday, in minutes since the epoch. */
const FIRST_MONDAY = 4 * DAY;
/** How far openings and closings are looked for, in minutes: a weekly slot swallowed by clock changes comes back long before. */
const HORIZON = 5 * WEEK;

/** Whether schedules may name this time zone: IANA names only, no offsets. */
export const isTimezone = (name: string): boolean => /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);

/** `HH:MM` in minutes since midnight; `24:00` is 1440. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Intervals [start, end) in minutes of the week from Monday 00:00, ascending, disjoint and not touching. */
type Week = readonly (readonly [start: number, end: number])[];

const weekOf = ({ slots }: ScheduleConfig): Week => {
  const merged: [number, number][] = [];
  const intervals = slots
    .map(({ day_of_week, start_time, end_time }): [number, number] => [
      day_of_week * DAY + minutesOf(start_time),
      day_of_week * DAY + minutesOf(end_time),
    ])
    .sort(([a], [b]) => a - b);
  for (const [start, end] of intervals) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
};

const compiled = new WeakMap<ScheduleConfig, Week>();
const weekIn = (schedule: ScheduleConfig): Week => {
  const known = compiled.get(schedule);
  if (known !== undefined) return known;
  const week = weekOf(schedule);
  compiled.set(schedule, week);
  return week;
};

/** Zones in use; making one is dear. Emptied when there are too many, luxon's own cache with it: names are also accepted in other cases. */
const zones = new Map<string, IANAZone>();
const ZONES_KEPT = 1000;

const exactOffset = (name: string, minute: number): number => {
  let zone = zones.get(name);
  if (zone === undefined) {
    if (!isTimezone(name)) return NaN;
    if (zones.size >= ZONES_KEPT) {
      zones.clear();
      offsets.clear();
      IANAZone.resetCache();
    }
    zone = IANAZone.create(name);
    zones.set(name, zone);
  }
  return zone.offset(minute * MINUTE);
};

/** The hour last asked for per zone, when its offset does not change: the question comes for every call. */
const offsets = new Map<string, { readonly hour: number; readonly offset: number }>();

/** Minutes east of UTC at a minute since the epoch; NaN for a zone that is not known. */
const offsetAt = (zone: string, minute: number): number => {
  const hour = Math.floor(minute / HOUR);
  const last = offsets.get(zone);
  if (last?.hour === hour) return last.offset;
  const offset = exactOffset(zone, minute);
  const constant = [hour * HOUR, (hour + 1) * HOUR].every((edge) => Object.is(exactOffset(zone, edge), offset));
  if (!constant) return offset;
  if (!Number.isNaN(offset)) offsets.set(zone, { hour, offset });
  return offset;
};

const inWeek = (week: Week, minuteOfWeek: number): boolean =>
  week.some(([start, end]) => minuteOfWeek >= start && minuteOfWeek < end);

const minuteOfWeek = (localMinute: number): number => (((localMinute - FIRST_MONDAY) % WEEK) + WEEK) % WEEK;

const unrestricted = (schedule: ScheduleConfig | null): schedule is null =>
  schedule === null || !schedule.enabled || schedule.slots.length === 0;

/** Whether calls may be placed at `now` (epoch ms). No schedule, a disabled one, or one without slots: always. An unknown time zone: never. */
export const isOpen = (schedule: ScheduleConfig | null, now: number): boolean => {
  if (unrestricted(schedule)) return true;
  const minute = Math.floor(now / MINUTE);
  const offset = offsetAt(schedule.timezone, minute);
  return !Number.isNaN(offset) && inWeek(weekIn(schedule), minuteOfWeek(minute + offset));
};

/** Minutes from a minute of the week to the next one, itself included, that is open (or closed); null when there is none. */
const distance = (week: Week, from: number, open: boolean): number | null => {
  if (inWeek(week, from) === open) return 0;
  // Sunday 24:00 is Monday 00:00: a slot that ends there may go on, so the edges of two weeks are looked at.
  const edges = week.flatMap(([start, end]) => (open ? [start, start + WEEK] : [end, end + WEEK]));
  const ahead = edges.filter((edge) => edge > from && inWeek(week, edge % WEEK) === open);
  return ahead.length === 0 ? null : Math.min(...ahead) - from;
};

/** The first instant at or after `now` at which the window is open (or closed), epoch ms. */
const next = (schedule: ScheduleConfig, now: number, open: boolean): number | null => {
  const week = weekIn(schedule);
  const first = Math.floor(now / MINUTE);
  let minute = first;
  while (minute < first + HORIZON) {
    const offset = offsetAt(schedule.timezone, minute);
    if (Number.isNaN(offset)) return null;
    const ahead = distance(week, minuteOfWeek(minute + offset), open);
    const target = ahead === null ? first + HORIZON : minute + ahead;
    const change = offsetChange(schedule.timezone, minute, target, offset);
    if (change === null) return ahead === null ? null : Math.max(now, target * MINUTE);
    minute = change;
  }
  return null;
};

/** The first minute in (from, to] with another offset than `offset`, looked for day by day, then by bisection; null when it stays. */
const offsetChange = (zone: string, from: number, to: number, offset: number): number | null => {
  for (let day = from; day < to; day += DAY) {
    let [same, other] = [day, Math.min(day + DAY, to)];
    if (offsetAt(zone, other) === offset) continue;
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (offsetAt(zone, middle) === offset) same = middle;
      else other = middle;
    }
    return other;
  }
  return null;
};

/** When calls may be placed next: `now` itself while the window is open, else its next opening (epoch ms); null: never (unknown time zone). */
export const nextOpening = (schedule: ScheduleConfig | null, now: number): number | null =>
  unrestricted(schedule) ? now : next(schedule, now, true);

/** When the window closes next: `now` itself while it is closed, else the end of the open time (epoch ms); null: it does not close. */
export const nextClosing = (schedule: ScheduleConfig | null, now: number): number | null =>
  unrestricted(schedule)
    ? null
    : Number.isNaN(offsetAt(schedule.timezone, Math.floor(now / MINUTE)))
      ? now
      : next(schedule, now, false);
