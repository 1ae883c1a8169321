import type { Content } from './answer-content.ts';
import { contentEtag } from './content-etag.ts';

/**
 * A document of JSON that never changes, as it is served. It is described once, when it is first asked for, which few
 * processes ever are.
 */
export function servedDocument(describe: () => object): () => Content {
  let served: Content | undefined;
  return () => {
    if (!served) {
      const bytes = Buffer.from(JSON.stringify(describe()));
      served = { mediaType: 'application/json', bytes, etag: contentEtag(bytes) };
    }
    return served;
  };
}
