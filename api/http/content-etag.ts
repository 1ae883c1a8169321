import { hash } from 'node:crypto';

/** The ETag of what an answer holds. */
export function contentEtag(content: string | Buffer): string {
  return `"${hash('sha1', content, 'base64url')}"`;
}
