import type { Upload, Waiting } from '../../api/openapi/contract.generated.ts';
import { waitedForWords } from '../../domain/builds/waiting.ts';
import { printableLine } from '../../domain/text/printable.ts';
import { durationText, sizeText } from '../../domain/text/quantity-text.ts';

/** `a worker, usually 5 s, 3 requests before it`. */
export function waitingText({ for: what, usually_ms: usuallyMs, ahead }: Waiting): string {
  return [
    waitedForWords(what),
    ...(usuallyMs === null ? [] : [`usually ${durationText(usuallyMs)}`]),
    ...(ahead ? [`${ahead} ${ahead === 1 ? 'request' : 'requests'} before it`] : []),
  ].join(', ');
}

/** `hello 2.10-3: 1.2 MB of 34 MB`. */
export function uploadText({
  package: name,
  sent_bytes: sent,
  total_bytes: total,
}: Upload): string {
  return `${printableLine(name)}: ${sizeText(sent)} of ${sizeText(total)}`;
}
