import { isCalendarDay } from '../../domain/text/calendar-day.ts';
import { MAX_INTEGER } from '../http/query.ts';

// PostgreSQL stores no NUL; a lone surrogate has no UTF-8 form.
const NOT_STORABLE = /\0|\p{Surrogate}/u;
// These patterns are in the OpenAPI document, so they are written in the syntax that its readers share. That has no way
// to write lone surrogates, which the check above finds.
const NUL = String.raw`\u0000`;
const ADDRESS = String.raw`[^\s@${NUL}]{1,64}@[^\s@${NUL}]{1,255}`;
export const STORABLE = new RegExp(`^[^${NUL}]*$`, 'u');
/** What is said of a text that is not STORABLE. */
export const NOT_STORED = 'The text has characters that cannot be stored.';
export const NOT_BLANK = new RegExp(String.raw`^\s*[^\s${NUL}][^${NUL}]*$`, 'u');
export const EMAIL = new RegExp(`^${ADDRESS}$`, 'u');
export const EMAIL_OR_NONE = new RegExp(`^(?:${ADDRESS})?$`, 'u');
/** The longest URL. */
export const MAX_URL_LENGTH = 4_096;
const TIME =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
const TRUE = ['true', 'True', '1'];
const FALSE = ['false', 'False', '0'];

/** An id in a path: a whole number that the database's integer holds. */
export function integer(value: string): number | undefined {
  if (!/^\d{1,10}$/.test(value)) return undefined;
  return Number(value) <= MAX_INTEGER ? Number(value) : undefined;
}

/** An id in a path of rows that come and go too fast for an integer to count: one that a bigint and a double hold. */
export function bigInteger(value: string): number | undefined {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A number of a filter, which may be below zero. */
export function readInteger(value: string): number | undefined {
  const size = integer(value.replace(/^-/, ''));
  return size === undefined || !value.startsWith('-') ? size : -size;
}

/** Whether PostgreSQL can store a text. */
export function isStorable(text: string): boolean {
  return !NOT_STORABLE.test(text);
}

/** A text that PostgreSQL can store; undefined where it cannot. */
export function readText(value: string): string | undefined {
  return isStorable(value) ? value : undefined;
}

/** A boolean as Django's clients write it. */
export function readBoolean(value: string): boolean | undefined {
  if (TRUE.includes(value)) return true;
  return FALSE.includes(value) ? false : undefined;
}

/** A point in time, in UTC where it has no offset; undefined where the text is none, or its day is in no calendar. */
export function readTime(value: string): Date | undefined {
  if (!TIME.test(value)) return undefined;
  if (!isCalendarDay(value.slice(0, 10))) return undefined;
  const time = new Date(
    /[T ]/.test(value) && !/(?:Z|[+-]\d{2}:\d{2})$/.test(value) ? `${value}Z` : value,
  );
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 ? undefined : time;
}
