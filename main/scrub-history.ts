/** Fields of a history that name a machine, a process or a build of the worker, none of which replay reads. */
const PRIVATE_FIELDS = new Set(['identity', 'binaryChecksum', 'buildId', 'stackTrace']);
/** Task queues of one worker, and what it signs with: a process id and the name of its machine. */
const WORKER = /^\d+@/;

/**
 * Takes the names of machines and processes out of a history.
 *
 * @param json a history as historyToJSON gives it
 * @returns the same history, indented so that a change shows as a diff
 */
export function scrubHistory(json: string): string {
  const scrubbed: unknown = JSON.parse(json, (key, value: unknown) =>
    typeof value === 'string' && (PRIVATE_FIELDS.has(key) || WORKER.test(value))
      ? 'scrubbed'
      : value,
  );
  return `${JSON.stringify(scrubbed, null, 1)}\n`;
}
