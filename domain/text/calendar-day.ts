/**
 * Whether the calendar has a day: JavaScript takes 30 February for 2 March.
 *
 * @param day as `2026-04-16`
 */
export function isCalendarDay(day: string): boolean {
  return new Date(day).getUTCDate() === Number(day.slice(-2));
}
