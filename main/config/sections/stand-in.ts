import { count, listed, milliseconds, optional, section, text } from '../setting.ts';

export const standIn = section('The Launchpad stand-in', {
  standIn: {
    host: text(
      'address',
      'AIRLINE_STAND_IN_HOST',
      '127.0.0.1',
      'Address that a stand-in started by itself binds to. The embedded stack reaches its own by loopback.',
    ),
    architectures: listed(
      optional(
        'list',
        'AIRLINE_STAND_IN_ARCHITECTURES',
        "Architectures of every PPA, comma-separated. Unset: the machine's own.",
      ),
    ),
    builders: count('AIRLINE_STAND_IN_BUILDERS', 1, 'Builds that the stand-in runs at once.'),
    scriptPath: optional(
      'path',
      'AIRLINE_STAND_IN_SCRIPT',
      'JSON script of the scripted builder. Unset: real sbuild.',
    ),
    buildUser: optional(
      'name',
      'AIRLINE_STAND_IN_BUILD_USER',
      'User that the stand-in, started as root, builds as. Unset: the user that it runs as.',
    ),
    processIntervalMs: milliseconds(
      'AIRLINE_STAND_IN_PROCESS_INTERVAL_MS',
      1_000,
      'Interval at which the stand-in processes uploads and publishes; Launchpad takes a minute.',
    ),
  },
});
