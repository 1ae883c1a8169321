import { fail } from './control-file.ts';

/**
 * What a `.dsc` may say of the packages that it makes: a word may take fifty times its size once it is read. That of
 * Debian 12's linux says by far the most of all, 16,000 words of 1,563 packages.
 */
const MAX_WORDS = 30_000;

/** A binary package that a source package makes, as its `.dsc` says. */
export type MadeBinary = {
  name: string;
  /** Whether it is for the installer of Debian (`udeb`), which no system has installed. */
  isOfInstaller: boolean;
  /** Architectures and wildcards that it is made for. */
  architectures: string[];
  /** The build profiles that it is made with, as a relation has them. */
  profiles: string[][];
};

/**
 * Reads which binary packages a `.dsc` lists: by Package-List (dsc(5)), or by Binary where that is missing. What is not
 * of their form is left out.
 *
 * @param packageList the lines of Package-List, without its first
 * @param binary the field Binary
 * @param architectures the field Architecture, for the packages of which nothing else says it
 * @param name of the `.dsc`
 * @throws AirlineError `malformed_control_file` where these have too many words
 */
export function readMadeBinaries(
  packageList: readonly string[],
  binary: string,
  architectures: string[],
  name: string,
): MadeBinary[] {
  const lines = packageList.length > 0 ? packageList : binary.split(',').map((one) => one.trim());
  let words = architectures.length;
  for (const line of lines) words += line.split(/[\s,+]/).length;
  if (words > MAX_WORDS)
    fail(name, `Architecture, and Package-List or Binary, have more than ${MAX_WORDS} words`);
  return lines.flatMap((line) => {
    const [name = '', ...words] = line.split(/\s+/);
    if (name === '') return [];
    const valueOf = (key: string) =>
      words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
    // `<!a !b> <c>` is written as `!a,!b+c` there.
    const profiles = valueOf('profile')
      ?.split('+')
      .map((list) => list.split(','));
    return [
      {
        name,
        isOfInstaller: words[0] === 'udeb',
        architectures: valueOf('arch')?.split(',') ?? architectures,
        profiles: profiles ?? [],
      },
    ];
  });
}
