import { z } from 'zod';
import { MAX_TOKEN_DAYS } from '../../../domain/access/access.ts';
import { PPA_ENTRY, QUEUE_PREFIX } from '../../../domain/access/target-rule.ts';
import { choice, count, entriesOf, listed, milliseconds, optional, section } from '../setting.ts';

const MAX_LIFETIME_MS = MAX_TOKEN_DAYS * 86_400_000;

/** Whether every entry is an origin as browsers write it. `*` is not one, so that nobody lets in every page. */
function isListOfOrigins(value: string): boolean {
  return entriesOf(value).every((entry) => URL.canParse(entry) && new URL(entry).origin === entry);
}

export const access = section('Access to the API', {
  api: {
    authentication: choice(
      ['off', 'token'],
      'AIRLINE_AUTH',
      'off',
      'Who may call. off: everybody, which is refused on any address but loopback. token: callers with a token that has the scope.',
    ),
    sessions: {
      idleMs: milliseconds(
        'AIRLINE_SESSION_IDLE_MS',
        12 * 3_600_000,
        'A browser that is signed in and sends no request for this long has to sign in again.',
        { min: 1_000, max: 366 * 86_400_000 },
      ),
    },
    corsOrigins: listed(
      optional(
        'list',
        'AIRLINE_CORS_ORIGINS',
        'Origins of web pages that may call the API from a browser, comma-separated. Unset: none.',
        z
          .string()
          .refine(isListOfOrigins, 'is not a list of origins, such as https://tickets.example.org'),
      ),
    ),
    limits: {
      tokenLifetimes: {
        defaultMs: milliseconds(
          'AIRLINE_TOKEN_LIFETIME_MS',
          90 * 86_400_000,
          'Time that a new token is valid, unless its maker gives another time.',
          { min: 60_000, max: MAX_LIFETIME_MS },
        ),
        maxMs: milliseconds(
          'AIRLINE_TOKEN_LONGEST_LIFETIME_MS',
          366 * 86_400_000,
          'Longest time that a new token can be valid.',
          { min: 60_000, max: MAX_LIFETIME_MS },
        ),
      },
      authenticationFailures: {
        max: count(
          'AIRLINE_AUTH_FAILURES',
          10,
          'Wrong tokens from one address in AIRLINE_AUTH_FAILURES_WINDOW_MS; more are answered 429. Valid ones always pass.',
        ),
        windowMs: milliseconds(
          'AIRLINE_AUTH_FAILURES_WINDOW_MS',
          60_000,
          'Time after which wrong tokens of an address are forgotten.',
          { min: 1_000, max: 86_400_000 },
        ),
      },
      rate: {
        requests: count(
          'AIRLINE_RATE_LIMIT',
          0,
          'Requests that each token may make in AIRLINE_RATE_WINDOW_MS, of each API process; 0 is no limit. Those for which it lacks the scope count; those to sign in and out, or to ask who has signed in, do not.',
          { min: 0 },
        ),
        windowMs: milliseconds(
          'AIRLINE_RATE_WINDOW_MS',
          60_000,
          'Time after which a token may make AIRLINE_RATE_LIMIT requests again.',
          { min: 1_000, max: 86_400_000 },
        ),
      },
    },
  },
  targets: {
    ppas: listed(
      optional(
        'list',
        'AIRLINE_PPAS',
        'PPAs that callers may build in and land in, comma-separated, as ~owner/distribution/name; ~owner/* is all of an owner. Those of the pool need no entry. Unset: all that the account of the worker may upload to.',
        z
          .string()
          .refine(
            (value) => entriesOf(value).every((entry) => PPA_ENTRY.test(entry)),
            'is not a list of PPAs, such as ~ada/ubuntu/greetings,~team/*',
          ),
      ),
    ),
    queuePrefixes: listed(
      optional(
        'list',
        'AIRLINE_QUEUE_PREFIX',
        'How the names of the queues have to begin that callers may name; several are comma-separated. Unset: all names.',
        z
          .string()
          .refine(
            (value) => entriesOf(value).every((entry) => QUEUE_PREFIX.test(entry)),
            'is not a list of beginnings of names, such as airline-,lander.',
          ),
      ),
    ),
  },
  token: optional(
    'token',
    'AIRLINE_TOKEN',
    'Token that `airline` and `npm run replay` send to the API. Unset: none, which is enough without authentication.',
  ),
});
