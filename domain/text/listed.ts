/** At most so many names, and how many more there are: `ed, hello and 3 more`. */
export function listed(names: readonly string[], most: number): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}
