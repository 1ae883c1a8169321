import pino, { type DestinationStream, type Logger } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { printable } from '../../domain/text/printable.ts';
import { loggedError } from './logged-error.ts';

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
/** Lines that wait while the destination takes none, as a full disk does. Those that come then are lost. */
const MAX_WAITING_BYTES = 8 * 2 ** 20;
// Without the scheme before it: that would be looked for at each word of a long line, to its end.
const URL_PASSWORD = /(:\/\/[^\s/:@]*):[^\s/@]+@/g;
/**
 * Our own tokens (models/service/access-token.ts), secrets of webhooks (domain/builds/webhook.ts) and what
 * authenticates to Launchpad (ppa/credentials.ts), wherever they stand.
 */
const TOKEN =
  /\bairline_[A-Za-z0-9_-]{43}|\bwhsec_[A-Za-z0-9+/=]+|(?<=\boauth_(?:token|signature)=\\?")[^"\\]+/g;
const MAY_HOLD_SECRET = /:\/\/|airline_|whsec_|oauth_/;
// Escapes of JSON. A line may hold control characters of a server's answer, which a terminal would obey.
const ESCAPE = /\\(?:u00(?<code>[01][0-9a-f])|(?<letter>.))/g;
const CONTROL_LETTERS: Readonly<Record<string, string>> = { b: '08', f: '0c', r: '0d' };

/**
 * A process's logger: JSON lines, or text for people. Nothing is lost at an exit, unless the disk is full. Secret
 * fields, passwords in URLs, tokens and the texts in statements that fail are blanked, and no character of a line acts
 * on the terminal that shows it.
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
  const asPeopleRead = asText
    ? prettyFactory({
        colorize: isTerminal,
        ignore: 'pid,hostname',
        messageFormat: (line, messageKey) => String(line[messageKey]).replaceAll('\n', '\n    '),
        translateTime: 'SYS:HH:MM:ss.l',
      })
    : undefined;
  return pino(
    {
      name,
      level,
      ...(options.context ? { mixin: options.context } : {}),
      serializers: { err: loggedError },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.headers.${field}`]),
        censor: '***',
      },
      hooks: {
        streamWrite: (line) => {
          const safe = safeLine(line);
          return asPeopleRead?.(safe) ?? safe;
        },
      },
    },
    openDestination(destination, isGathering && !asText),
  );
}

/** What lines are written to. What a full disk does not take waits; neither a line nor an exit waits for it. */
function openDestination(dest: number, isGathering: boolean): DestinationStream {
  const stream = pino.destination({
    dest,
    maxLength: MAX_WAITING_BYTES,
    ...(isGathering ? GATHERING : { sync: true }),
  });
  let isFailing = false;
  // pino passes on every error but that of a broken pipe.
  stream.on('error', () => (isFailing = true));
  stream.on('write', () => (isFailing = false));
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    // That one tries for ever where the disk is full. A synchronous flush tries once and says so.
    Object.assign(stream, { sync: true });
    stream.flush();
    Object.assign(stream, { sync: !isGathering });
    if (!isFailing) flushSync();
  };
  return stream;
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
