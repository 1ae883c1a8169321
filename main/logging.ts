import pino, { type Logger } from 'pino';
import { build as prettyStream } from 'pino-pretty';

/** Fields that hold a secret wherever they stand. */
const SECRET_FIELDS = [
  'password',
  'token',
  'authorization',
  'cookie',
  'access_token',
  'access_secret',
];
const GATHERING = { sync: false, minLength: 4_096, periodicFlush: 100 };
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi;

/**
 * A process's logger: JSON lines, or text for people. Nothing is lost at an exit. Secret fields and passwords in URLs are blanked.
 *
 * @param options.format auto is text on a terminal and JSON elsewhere
 */
export function createLogger(options: {
  name: string;
  level: string;
  format: 'auto' | 'json' | 'text';
  /** File descriptor that is written to. */
  destination?: number;
  isTerminal?: boolean;
  /** Whether lines are gathered for a moment, so that many are one write. A process that is killed loses them. */
  isGathering?: boolean;
  /** Fields that every line gets, asked for at each. */
  context?: () => object;
}): Logger {
  const { name, level, format, destination = 1, isTerminal = process.stdout.isTTY } = options;
  const { isGathering = false } = options;
  const asText = format === 'text' || (format === 'auto' && isTerminal);
  return pino(
    {
      name,
      level,
      ...(options.context ? { mixin: options.context } : {}),
      serializers: { err: pino.stdSerializers.err },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.headers.${field}`]),
        censor: '***',
      },
      hooks: { streamWrite: blankPasswords },
    },
    asText
      ? prettyStream({
          destination,
          sync: true,
          colorize: isTerminal,
          ignore: 'pid,hostname',
          translateTime: 'SYS:HH:MM:ss.l',
        })
      : pino.destination({ dest: destination, ...(isGathering ? GATHERING : { sync: true }) }),
  );
}

/** Blanks the password of every URL in a text. */
export function blankPasswords(text: string): string {
  return text.includes('://') ? text.replace(URL_PASSWORD, '$1:***@') : text;
}
