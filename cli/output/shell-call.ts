/** What a shell takes as it stands, wherever it comes in a word. */
const PLAIN = /^[A-Za-z0-9_%+=:,./@-]+$/;

type OptionValue = string | number | boolean | readonly string[] | undefined;

/**
 * A call as people copy it into a shell: `airline build request 7 --ppa '~team/ubuntu/landing' --any-series`.
 *
 * @param command its words and arguments
 * @param options by their flags, in their order; those that are undefined or false are left out, one of true stands
 * alone, one with several values is repeated
 */
export function shellCall(
  command: string,
  options: Readonly<Record<`--${string}`, OptionValue>>,
): string {
  const given = Object.entries(options).flatMap(([flag, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    const words = [value].flat().map(String);
    return words.flatMap((word) => [flag, PLAIN.test(word) ? word : quote(word)]);
  });
  return [command, ...given].join(' ');
}

/** A text in quotes, as one word of bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
