/** A number of a row, such as a median, as a whole one; null where there is none. */
export function roundOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Math.round(Number(value));
}
