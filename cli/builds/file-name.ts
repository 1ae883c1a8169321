/** The last part of a URL's path, decoded where it can be. */
export function fileName(url: string): string {
  const last = url.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
