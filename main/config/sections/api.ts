import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  bytes,
  count,
  entriesOf,
  listed,
  mapped,
  milliseconds,
  optional,
  port,
  section,
  text,
  UP_TO_A_MONTH,
} from '../setting.ts';
import { isWebRoot, webRoot } from '../web-root.ts';

const DAY_MS = 86_400_000;
const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));

const keptFiles = milliseconds(
  'AIRLINE_KEEP_FILES_MS',
  366 * DAY_MS,
  'Time that files of the data store stay, a day at least: what builds, landings and their tests leave, and the images of these, after their end; uploads after the last build or change of a ticket that names them. 0: for ever.',
  { min: 0, max: Number.MAX_SAFE_INTEGER },
);

export const api = section('The API', {
  server: {
    host: text('address', 'AIRLINE_API_HOST', '127.0.0.1', 'Address the API binds to.'),
    port: port('AIRLINE_API_PORT', 8080, 'Port of the API.'),
    publicUrl: optional(
      'address',
      'AIRLINE_PUBLIC_URL',
      'http or https URL under which others reach the API, for links. Unset: http://<host>:<port>.',
      z
        .string()
        .refine(isWebRoot, 'is no http or https URL such as https://airline.example.com')
        .transform(webRoot),
    ),
    formerUrls: mapped(
      listed(
        optional(
          'list',
          'AIRLINE_FORMER_URLS',
          'Addresses that AIRLINE_PUBLIC_URL had before, comma-separated. Files of the data store are still found by them, and shown by their present address.',
          z
            .string()
            .refine(
              (value) => entriesOf(value).every(isWebRoot),
              'is not a list of http or https URLs such as https://airline.example.com',
            ),
        ),
      ),
      (urls) => urls.map(webRoot),
    ),
    requestMs: milliseconds(
      'AIRLINE_REQUEST_MS',
      3_600_000,
      'Time for a request to come in, the files of the data store included.',
    ),
    idleMs: milliseconds(
      'AIRLINE_CONNECTION_IDLE_MS',
      60_000,
      'A connection to the API that transfers nothing for this long during a request is closed, unless the data store still works on the file that it sent. At least 31000: a stream of events transfers nothing between two heartbeats. Keep it above AIRLINE_UPLOAD_CHECK_MS.',
      { min: 31_000 },
    ),
    leaveMs: milliseconds(
      'AIRLINE_LEAVE_MS',
      0,
      'Time that an API that is told to stop still accepts requests, while /readyz says 503. Behind a load balancer: more than the interval of its health checks.',
      { min: 0, max: 600_000 },
    ),
    drainMs: milliseconds(
      'AIRLINE_DRAIN_MS',
      10_000,
      'Time for requests in flight when the API is told to stop.',
    ),
  },
  api: {
    webDirectory: mapped(
      text(
        'path',
        'AIRLINE_WEB_DIR',
        'dist/web',
        "Files of the web UI, made by `npm run build:clients`. A relative path starts at Airline's own folder.",
      ),
      (directory) => resolve(PROJECT_DIR, directory),
    ),
    trustedProxies: count(
      'AIRLINE_TRUSTED_PROXIES',
      0,
      "Proxies before the API. A caller's address is the one that the outermost proxy adds to X-Forwarded-For; with 0 it is that of the connection.",
      { min: 0, max: 10 },
    ),
    limits: {
      bodyMaxBytes: bytes('AIRLINE_BODY_MAX_BYTES', 1_048_576, 'Largest request body.'),
      importMaxBytes: bytes(
        'AIRLINE_IMPORT_MAX_BYTES',
        32 * 2 ** 20,
        'Largest file of binary packages to import. It may have one JSON value for each 16 bytes of this, which is far more than it needs.',
      ),
      storeMaxBytes: bytes(
        'AIRLINE_STORE_MAX_BYTES',
        4 * 2 ** 30,
        'Largest file that the data store takes.',
      ),
      storeWrites: count(
        'AIRLINE_STORE_WRITES',
        30,
        'Files that an API process takes into the data store at once; with tokens, half of them of one token. Each may hold 16 MiB of memory where the data store is a bucket.',
      ),
      probeTimeoutMs: milliseconds(
        'AIRLINE_PROBE_TIMEOUT_MS',
        2_000,
        'Time for the database, Temporal, the broker and the data store to answer a health check.',
      ),
      retryAfterS: mapped(
        milliseconds(
          'AIRLINE_RETRY_AFTER_MS',
          5_000,
          'Time that a caller is told to wait while the API cannot answer.',
        ),
        (ms) => Math.ceil(ms / 1_000),
      ),
      uploadChecks: count(
        'AIRLINE_UPLOAD_CHECKS',
        10,
        'Largest number of uploads about which an API process asks a PPA at once, before they are stored.',
      ),
      idempotency: {
        lifetimeMs: milliseconds(
          'AIRLINE_IDEMPOTENCY_LIFETIME_MS',
          DAY_MS,
          'Time that an answer is kept under the Idempotency-Key of its request.',
          UP_TO_A_MONTH,
        ),
        inFlightMs: milliseconds(
          'AIRLINE_IDEMPOTENCY_IN_FLIGHT_MS',
          60_000,
          'Time after which the Idempotency-Key of a request is free again if the API process that handled it is gone.',
          { min: 1_000, max: DAY_MS },
        ),
      },
    },
  },
  fileSweep: {
    keepFilesMs: {
      ...keptFiles,
      // A file that comes again stays as old as it is for an hour, and has to be there until a request names it.
      schema: keptFiles.schema.refine(
        (ms) => ms === 0 || ms >= DAY_MS,
        `is neither 0 nor a day (${DAY_MS}) at least`,
      ),
    },
  },
  rowSweep: {
    keepEventsMs: milliseconds(
      'AIRLINE_KEEP_EVENTS_MS',
      366 * DAY_MS,
      'Time that the events of a build or a landing stay after its end. The final event of each attempt, the build itself and the history of tickets stay for ever. 0: all events stay.',
      { min: 0, max: Number.MAX_SAFE_INTEGER },
    ),
    giveUpMessagesMs: milliseconds(
      'AIRLINE_PROGRESS_MAX_AGE_MS',
      7 * DAY_MS,
      'Messages that no queue takes are given up this long after the end of their build or landing. 0: never.',
      { min: 0, ...UP_TO_A_MONTH },
    ),
    intervalMs: milliseconds(
      'AIRLINE_IDEMPOTENCY_SWEEP_INTERVAL_MS',
      60_000,
      'Interval at which rows that are not needed any more are removed (expired Idempotency-Keys, old events, notices of changes that were sent, ends of logs), messages are given up, and ended builds are counted.',
    ),
  },
  database: {
    poolSize: count(
      'AIRLINE_DATABASE_POOL',
      20,
      'Largest number of database connections of a process. A tester may have one more for each slot.',
    ),
  },
});
