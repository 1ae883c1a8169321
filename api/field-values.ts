// PostgreSQL stores no NUL; a lone surrogate has no UTF-8 form.
export const NOT_STORABLE = /\0|\p{Surrogate}/u;
const MOST_INTEGER = 2 ** 31 - 1;
const TIME =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
const TRUE = ['true', 'True', '1'];
const FALSE = ['false', 'False', '0'];

/** An id in a path: a whole number that the database's integer holds. */
export function integer(value: string): number | undefined {
  if (!/^\d{1,10}$/.test(value)) return undefined;
  return Number(value) <= MOST_INTEGER ? Number(value) : undefined;
}

/** A number of a filter, which may be below zero. */
export function readInteger(value: string): number | undefined {
  const size = integer(value.replace(/^-/, ''));
  return size === undefined || !value.startsWith('-') ? size : -size;
}

export function readText(value: string): string | undefined {
  return NOT_STORABLE.test(value) ? undefined : value;
}

/** A truth value as Django's clients write it. */
export function readBoolean(value: string): boolean | undefined {
  if (TRUE.includes(value)) return true;
  return FALSE.includes(value) ? false : undefined;
}

/** A point in time, in UTC where it has no offset. */
export function readTime(value: string): Date | undefined {
  if (!TIME.test(value)) return undefined;
  const time = new Date(
    /[T ]/.test(value) && !/(?:Z|[+-]\d{2}:\d{2})$/.test(value) ? `${value}Z` : value,
  );
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 ? undefined : time;
}
