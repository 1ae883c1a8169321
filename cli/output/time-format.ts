const SECOND_MS = 1_000;
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', SECOND_MS],
] as const;

/** `3 min ago`, `in 2 h`, `now`: a time (RFC 3339) as seen from now. */
export function relativeTime(time: string, now: Date): string {
  const distanceMs = new Date(time).getTime() - now.getTime();
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(distanceMs) >= ms) ?? ['s', SECOND_MS];
  const count = Math.floor(Math.abs(distanceMs) / unitMs);
  if (count === 0) return 'now';
  return distanceMs < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

/** `14:02:11Z`: the time of a day in UTC. */
export function clockTime(time: string): string {
  return `${new Date(time).toISOString().slice(11, 19)}Z`;
}

/** Milliseconds of `90`, `90s`, `15m`, `2h` or `1d`; undefined if the text has another form or is 0. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text);
  if (!match) return undefined;
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? 's'] ?? 1;
  return Math.round(Number(match[1]) * unitMs) || undefined;
}
