import { isCalendarDay } from '../../../domain/text/calendar-day.ts';

it.each(['2026-04-16', '2024-02-29', '0001-01-01', '9999-12-31'])('%s is a day', (day) => {
  expect(isCalendarDay(day)).toBe(true);
});

it.each(['2026-02-30', '2025-02-29', '2026-04-31', '2026-02-32', '2026-13-01', '2026-00-10'])(
  'the calendar has no %s',
  (day) => {
    expect(isCalendarDay(day)).toBe(false);
  },
);
