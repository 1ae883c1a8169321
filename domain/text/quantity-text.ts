const SECOND_MS = 1_000;
const TIME_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', SECOND_MS],
] as const;
const SIZE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A length of time in its two greatest units, each counted once it is full: `under 1 s`, `3 min 20 s`, `2 h`. */
export function durationText(ms: number): string {
  if (ms <= 0) return '0 s';
  const greatest = TIME_UNITS.findIndex(([, unitMs]) => ms >= unitMs);
  if (greatest === -1) return 'under 1 s';
  let restMs = ms;
  const parts = TIME_UNITS.slice(greatest, greatest + 2).map(([unit, unitMs]) => {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    return { count, unit };
  });
  return parts.flatMap(({ count, unit }) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}

/** A size as a person says it: `812 B`, `1.2 kB`, `34 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would be rounded to 1000 is one of the next unit.
  while (value >= 999.5 && unit < SIZE_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 9.95 ? 0 : 1)} ${SIZE_UNITS[unit]}`;
}
