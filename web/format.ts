import { durationText } from '../domain/text/quantity-text.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const EXACT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const SHORT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const MINUTE = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const HOUR = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const NUMBER = new Intl.NumberFormat('en');

/** The time zone of all times on the pages: the reader's. */
export const TIME_ZONE = EXACT.resolvedOptions().timeZone;
/** A moment to the second, with its time zone, as the reader's place writes it. */
export const exactTime = (at: string): string => EXACT.format(new Date(at));
/** A moment to the second without its year, for where there is little room. */
export const shortTime = (at: string): string => SHORT.format(new Date(at));
/** A moment to the minute without its year, for what is not known to the second. */
export const minuteTime = (at: string): string => MINUTE.format(new Date(at));
/** The day of a moment, as the reader's place writes it. */
export const dayOf = (at: string): string => DATE.format(new Date(at));
/** The time of day to the second. */
export const clockTime = (at: string): string => CLOCK.format(new Date(at));
/** The time of day to the minute. */
export const hourTime = (at: string): string => HOUR.format(new Date(at));
/** A number with its thousands apart. */
export const count = (value: number): string => NUMBER.format(value);

/** How long ago, in one unit: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date. */
export function ago(at: string, nowMs: number): string {
  const passedMs = nowMs - Date.parse(at);
  if (passedMs < 10 * SECOND_MS) return 'just now';
  if (passedMs < MINUTE_MS) return 'under 1 min ago';
  if (passedMs < HOUR_MS) return `${Math.floor(passedMs / MINUTE_MS)} min ago`;
  if (passedMs < DAY_MS) return `${Math.floor(passedMs / HOUR_MS)} h ago`;
  const days = Math.floor(passedMs / DAY_MS);
  if (days < 30) return days === 1 ? '1 day ago' : `${days} days ago`;
  return dayOf(at);
}

/** About how long: whole minutes where it is more than two. */
export function roughDuration(ms: number): string {
  return durationText(ms > 2 * MINUTE_MS ? Math.round(ms / MINUTE_MS) * MINUTE_MS : ms);
}

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text with its moments as the reader's place writes them. One that no calendar has stays as it is. */
export const withLocalTimes = (text: string): string =>
  text.replaceAll(MOMENT, (at) => (Number.isNaN(Date.parse(at)) ? at : exactTime(at)));

/** `1 build`, `2 builds`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
