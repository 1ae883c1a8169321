/** At most so many names, and how many more there are: `ed, hello and 3 more`. */
export function listed(names: readonly string[], max: number): string {
  const more = names.length - max;
  return more > 0 ? `${names.slice(0, max).join(', ')} and ${more} more` : names.join(', ');
}
