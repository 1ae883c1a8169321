/** What the browser keeps under a key; null also where it lets the page keep nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * Keeps a text under a key, or removes what is there, where the browser lets the page keep anything. Otherwise what was
 * chosen holds until the page is left.
 *
 * @returns whether it is kept
 */
export function store(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    // All cookies are blocked, or the storage is full.
    return false;
  }
}
