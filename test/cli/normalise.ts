import { tmpdir } from 'node:os';

/** Takes out of what was printed all that differs from run to run: times, addresses, keys, folders. */
export function normalise(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
      .replaceAll(/\d\d:\d\d:\d\dZ/g, '<clock>')
      .replaceAll(/, after (?:under )?\d+ s\b/g, ', after <n> s')
      .replaceAll(/\busually (?:under )?\d+ s\b/g, 'usually <n> s')
      .replaceAll(/\bin \d\d min\b/g, 'in <n> min')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      // The same, cut at the width of a column.
      .replaceAll(/\(request [0-9a-f-]+…/g, '(request <uuid>…')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>')
      .replaceAll(/\/[0-9a-f]{16}\//g, '/<digest>/')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
      .replaceAll(tmpdir(), '/tmp')
      .replaceAll(/\/tmp(?:\/airline-[A-Za-z0-9-]+)+/g, '<dir>')
      .replaceAll(/\b\d+ ms(?: +|\b)/g, '<n> ms  ')
      .replaceAll(/"((?:latency|oldest_age|event_wait|usually)_ms)":\d+/g, '"$1":<n>')
      .replaceAll(/airline_[A-Za-z0-9_-]{20,}/g, '<token>')
  );
}
