/** Whether an answer has a secret in it, as its `Cache-Control` tells: it says `no-store`. */
export function hasSecret(cacheControl = ''): boolean {
  return /\bno-store\b/.test(cacheControl);
}
