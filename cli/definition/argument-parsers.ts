import { InvalidArgumentError } from 'commander';
import {
  MAX_TITLE_LENGTH,
  REFERENCE_KINDS,
  stepName,
  STEP_VALUES,
  type StepValue,
} from '../../domain/tickets/ticket.ts';
import { SOURCE_NAME, SOURCE_VERSION } from '../../domain/packages/source-file.ts';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { isCalendarDay } from '../../domain/text/calendar-day.ts';
import { usageError } from '../command-error.ts';
import { parseDuration } from '../output/time-format.ts';

/** Reads a step by its number or its name, the name in any case and with - or _ for its space. */
export function parseStep(text: string): StepValue {
  const wanted = text.toLowerCase().replace(/[-_]/g, ' ');
  const found = STEP_VALUES.find(
    (step) => step === text || stepName(step).toLowerCase() === wanted,
  );
  if (found) return found;
  const known = STEP_VALUES.map((step) => `${step} (${stepName(step)})`);
  throw new InvalidArgumentError(`Steps are ${known.join(', ')}.`);
}

/** Reads a status: any whole number of at most nine digits, or a step's name for the number of the step. */
export function parseStatus(text: string): string {
  return /^-?\d{1,9}$/.test(text) ? text : parseStep(text);
}

/** What is given by an id, and the words that come before the id in its addresses: of the API, and of its page. */
const ADDRESS_WORDS = {
  ticket: ['ticket', 'fullticket', 'opentickets', 'ticketstatus', 'updateticketstatus'],
  subticket: ['subticket', 'updatesubticketstatus'],
  build: ['build', 'buildsummary'],
  landing: ['landing'],
  webhook: ['webhook'],
  delivery: ['deliveries'],
  mergeproposal: ['mergeproposal'],
  person: ['person'],
  ppapool: ['ppapool'],
  token: ['token'],
} as const satisfies Record<string, readonly string[]>;

/**
 * Makes what reads the id of a resource, which may come as its URI or as the address of its page.
 *
 * @returns a parser, which throws InvalidArgumentError at what is no id, and at the address of something else
 */
export function parseId(kind: keyof typeof ADDRESS_WORDS): (text: string) => number {
  const words: readonly string[] = ADDRESS_WORDS[kind];
  return (text) => {
    const [, word, id] = /^(?:(?:.*\/)?([a-z]+)\/)?(\d{1,15})\/?$/.exec(text) ?? [];
    if (id === undefined || Number(id) === 0)
      throw new InvalidArgumentError('Give its number, as in the lists.');
    if (word !== undefined && !words.includes(word))
      throw new InvalidArgumentError(`That is not the address of a ${kind}. Give its number.`);
    return Number(id);
  };
}

/** Reads a whole number from 1 to 1000, the most that the API gives at once: how much of a list is wanted. */
export function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`Give a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** Reads the name of a source package (Debian Policy 5.6.1). */
export function parsePackageName(text: string): string {
  if (!SOURCE_NAME.test(text))
    throw new InvalidArgumentError('Give the name of a source package: a-z 0-9 + - .');
  return text;
}

/** Reads the version of a source package (Debian Policy 5.6.12). */
export function parseVersion(text: string): string {
  if (!SOURCE_VERSION.test(text)) throw new InvalidArgumentError('Give a version, such as 2.10-3.');
  return text;
}

/** Reads an e-mail address, as the API takes them. */
export function parseEmail(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text))
    throw new InvalidArgumentError('Give an e-mail address, such as ann@example.com.');
  return text;
}

/** Reads the title of a ticket, which lists show in a line. */
export function parseTitle(text: string): string {
  if (text.length > MAX_TITLE_LENGTH)
    throw new InvalidArgumentError(`Give a title of ${MAX_TITLE_LENGTH} characters at most.`);
  return text;
}

/** Reads a whole number from 0. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 0.');
  return Number(text);
}

/** Reads a length of time in milliseconds. */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  // Timers hold 31 bits of milliseconds.
  if (ms === undefined || ms >= 2 ** 31)
    throw new InvalidArgumentError(
      'Give a time as 90s, 15m or 2h, of 24 days at most; a number alone is seconds.',
    );
  return ms;
}

/**
 * Reads a time with its zone, or a length of time from now on.
 *
 * @returns the time, as seen from now; it throws CommandError `usage` outside the years 1970 to 9999
 */
export function parseMoment(text: string): (now: Date) => Date {
  const ms = parseDuration(text);
  if (ms !== undefined) return (now) => inCalendar(now.getTime() + ms, text);
  const [, day] = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text)) || !isCalendarDay(day))
    throw new InvalidArgumentError(
      'Give a time with its zone, such as 2026-04-16T00:00:00Z, or a length such as 7d.',
    );
  return () => inCalendar(Date.parse(text), text);
}

/** Reads a time as `parseMoment` does, where a length of time is one up to now. */
export function parsePast(text: string): (now: Date) => Date {
  const ms = parseDuration(text);
  return ms === undefined ? parseMoment(text) : (now) => inCalendar(now.getTime() - ms, text);
}

function inCalendar(ms: number, text: string): Date {
  if (ms >= 0 && ms < Date.UTC(10_000, 0)) return new Date(ms);
  throw usageError(`'${text}' is not in the years 1970 to 9999.`, 'Give a time such as 7d.');
}

/** Stands in the description of an option that may be given more than once. */
export const REPEATABLE = '(repeatable)';

/** Adds the ids of builds to those that came before. */
export function collectBuildIds(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(',').map(parseId('build'))];
}

/** Adds to what a repeatable option has gathered, each of which may be a list with commas. */
export function collectWords(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').filter((one) => one !== '')];
}

/** A page that a ticket is about. */
export type Reference = { readonly kind: string; readonly url: string };

/** Adds a page, `kind=url`, to those that came before. */
export function collectReferences(text: string, before: readonly Reference[] = []): Reference[] {
  const [, kind = '', url = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (!REFERENCE_KINDS.some((known) => known === kind))
    throw new InvalidArgumentError(`Give one of ${REFERENCE_KINDS.join(', ')}, =, and a URL.`);
  return [...before, { kind, url }];
}
