import { bytes, count, listed, milliseconds, section, text, url } from '../setting.ts';

export const ppa = section('The PPA', {
  launchpad: {
    timeoutMs: milliseconds(
      'AIRLINE_LAUNCHPAD_TIMEOUT_MS',
      30_000,
      'Time for one answer of the Launchpad web service.',
    ),
    callsPerSecond: count(
      'AIRLINE_LAUNCHPAD_CALLS_PER_SECOND',
      20,
      'Calls of the Launchpad web service that all workers together make in a second. Further calls wait for their turn.',
    ),
    tailMs: milliseconds(
      'AIRLINE_LOG_TAIL_MS',
      5_000,
      "Interval at which the end of a running build's log is read while somebody watches it.",
    ),
    keyserverUrl: url(
      ['https:', 'http:'],
      'AIRLINE_KEYSERVER_URL',
      "Keyserver that the PPA takes public keys from. Unset: keyserver.ubuntu.com for Launchpad, the stand-in's own for the stand-in.",
    ),
  },
  upload: {
    idleTimeoutMs: milliseconds(
      'AIRLINE_UPLOAD_IDLE_MS',
      60_000,
      'An upload session that transfers nothing for this long is given up.',
    ),
  },
  logs: {
    maxBytes: bytes(
      'AIRLINE_LOG_MAX_BYTES',
      256 * 2 ** 20,
      'Largest build log that is kept; the rest is cut off, and the log says so.',
    ),
    hosts: listed(
      text(
        'list',
        'AIRLINE_LOG_HOSTS',
        'launchpadlibrarian.net',
        "Hosts besides the PPA's own that its build logs and source files may be redirected to, comma-separated.",
      ),
    ),
  },
});
