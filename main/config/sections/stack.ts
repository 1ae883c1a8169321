import { homedir } from 'node:os';
import { join } from 'node:path';
import { choice, section, text } from '../setting.ts';

export const stack = section('Folders and logs', {
  directories: {
    state: text(
      'path',
      'AIRLINE_STATE_DIR',
      join(homedir(), '.local/share/airline'),
      'State of the embedded stack, and the data store where AIRLINE_STORE is unset: an api, a worker and a tester share it. As root, where another user cannot reach the default: /var/lib/airline.',
    ),
    cache: text(
      'path',
      'AIRLINE_CACHE_DIR',
      join(homedir(), '.cache/airline'),
      'Chroots, PostgreSQL binaries, the Temporal CLI, and the images of a tester. As root, where another user cannot reach the default: /var/cache/airline.',
    ),
  },
  log: {
    level: choice(
      ['trace', 'debug', 'info', 'warn', 'error'],
      'AIRLINE_LOG_LEVEL',
      'info',
      'Lowest level that is logged.',
    ),
    format: choice(
      ['auto', 'json', 'text'],
      'AIRLINE_LOG_FORMAT',
      'auto',
      'auto: text on a terminal, else JSON lines.',
    ),
  },
});
