/** Fields of a history that name a machine, a process or a build of the worker, none of which replay reads. */
const PRIVATE_FIELDS = new Set(['identity', 'binaryChecksum', 'buildId', 'stackTrace']);
/** Task queues of one worker, and what it signs with: a process id and the name of its machine. */
const WORKER = /^\d+@/;
/**
 * User and password, host and path, query. A URL ends at the first character that it may not contain, or that ends it
 * in JSON. The scheme before it is left out: it would be looked for at each word of a long text, to its end.
 */
const URL_PARTS = /:\/\/([^\s"'\\<>`/?#]*@)?([^\s"'\\<>`?#]*)(\?[^\s"'\\<>`#]*)?/g;
const SCRUBBED = 'scrubbed';

/**
 * Removes private data from an event of a history: names of machines and processes, and from every URL the user, the
 * password and the values of the query, which may be secrets. Payloads that hold text are treated the same way. What
 * replay compares stays: the types, ids and order of what the workflow did, and the shape of its input.
 *
 * @param event as proto JSON has it
 */
export function scrubEvent(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event), (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (PRIVATE_FIELDS.has(key) || WORKER.test(value)) return SCRUBBED;
    return key === 'data' ? scrubPayload(value) : scrubUrls(value);
  });
}

/** Removes users, passwords and the values of queries from the URLs in a text. */
function scrubUrls(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(
    URL_PARTS,
    (_, user: string | undefined, path: string, query: string | undefined) =>
      `://${user === undefined ? '' : `${SCRUBBED}@`}${path}${scrubQuery(query)}`,
  );
}

/** The names of a query's parameters stay. */
function scrubQuery(query: string | undefined): string {
  if (query === undefined) return '';
  const parameters = query.slice(1).split('&');
  const scrubbed = parameters.map((parameter) => {
    const [name = '', value] = parameter.split(/=(.*)/s);
    return value === undefined ? (name === '' ? '' : SCRUBBED) : `${name}=${SCRUBBED}`;
  });
  return `?${scrubbed.join('&')}`;
}

/** Leaves a payload unchanged if it is not text, for example if it is encrypted. */
function scrubPayload(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  const scrubbed = scrubUrls(text);
  const isText = scrubbed !== text && Buffer.from(text, 'utf8').equals(bytes);
  return isText ? Buffer.from(scrubbed, 'utf8').toString('base64') : base64;
}
