/** Takes out of what was printed all that differs from run to run: times, addresses, keys, folders. */
export function normalise(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
      .replaceAll(/\d\d:\d\d:\d\dZ/g, '<clock>')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>')
      .replaceAll(/\/[0-9a-f]{16}\//g, '/<digest>/')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
      .replaceAll(/\/tmp\/airline-[A-Za-z0-9]+/g, '<dir>')
      .replaceAll(/\b(\d+) ms\b/g, '<n> ms')
      .replaceAll(/"latency_ms":\d+/g, '"latency_ms":<n>')
      // The time of a change is its first column, whose width goes by it.
      .replaceAll(/^(?:now|\d+ s ago) +(?=ticket|subticket)/gm, '<ago>  ')
      .replaceAll(/^((?:␛\[1m)?WHEN) +/gm, '$1   ')
      .replaceAll(/airline_[A-Za-z0-9_-]{20,}/g, '<token>')
  );
}
