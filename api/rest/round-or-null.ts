/** Rounds a number of a row, such as a median; null stays null. */
export function roundOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Math.round(Number(value));
}
