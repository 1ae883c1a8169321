import pino, { type Logger } from 'pino';
import { build as prettyStream } from 'pino-pretty';
import { printable } from '../../domain/printable.ts';

/** Fields that hold a secret wherever they stand. */
const SECRET_FIELDS = [
  'password',
  'token',
  'authorization',
  'cookie',
  'access_token',
  'access_secret',
];
const GATHERING = { sync: false, minLength: 15_000, periodicFlush: 100 };
// Without the scheme before it: that would be looked for at each word of a long line, to its end.
const URL_PASSWORD = /(:\/\/[^\s/:@]*):[^\s/@]+@/g;
/**
 * Our own tokens (models/access-token.ts), secrets of webhooks (domain/webhook.ts) and what authenticates to Launchpad
 * (ppa/credentials.ts), wherever they stand.
 */
const TOKEN =
  /\bairline_[A-Za-z0-9_-]{43}|\bwhsec_[A-Za-z0-9+/=]+|(?<=\boauth_(?:token|signature)=\\?")[^"\\]+/g;
const MAY_HOLD_SECRET = /:\/\/|airline_|whsec_|oauth_/;
// Escapes of JSON. A line may hold control characters of a server's answer, which a terminal would obey.
const ESCAPE = /\\(?:u00(?<code>[01][0-9a-f])|(?<letter>.))/g;
const CONTROL_LETTERS: Readonly<Record<string, string>> = { b: '08', f: '0c', r: '0d' };

/**
 * A process's logger: JSON lines, or text for people. Nothing is lost at an exit. Secret fields, passwords in URLs and
 * tokens are blanked, and no character of a line acts on the terminal that shows it.
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
      hooks: { streamWrite: safeLine },
    },
    asText
      ? prettyStream({
          destination,
          sync: true,
          colorize: isTerminal,
          ignore: 'pid,hostname',
          messageFormat: (line, messageKey) => String(line[messageKey]).replaceAll('\n', '\n    '),
          translateTime: 'SYS:HH:MM:ss.l',
        })
      : pino.destination({ dest: destination, ...(isGathering ? GATHERING : { sync: true }) }),
  );
}

/** A line of JSON with every secret blanked that a text can show, and every character visible. */
function safeLine(line: string): string {
  return printable(blankSecrets(line.includes('\\') ? line.replace(ESCAPE, visibleEscape) : line));
}

function visibleEscape(escape: string, code: string | undefined, letter: string): string {
  const control = code ?? CONTROL_LETTERS[letter];
  return control === undefined ? escape : `\\u24${control}`;
}

/** Blanks tokens, and the password of every URL, in a text. */
export function blankSecrets(text: string): string {
  return MAY_HOLD_SECRET.test(text)
    ? text.replace(URL_PASSWORD, '$1:***@').replace(TOKEN, '***')
    : text;
}
