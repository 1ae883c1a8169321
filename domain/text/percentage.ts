/** A share of one as a whole percentage; never 100 % where something is missing, never 0 % where something is there. */
export function percentage(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 100 && share < 1) return '99 %';
  if (rounded === 0 && share > 0) return '1 %';
  return `${rounded} %`;
}
