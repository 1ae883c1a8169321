/** One PPA: `ppa:owner/name` on a distribution (Launchpad's archive reference is `~owner/distribution/name`). */
export type Ppa = { owner: string; distribution: string; name: string };

/**
 * The name of a person, a distribution, a series or an archive, as a regular expression (Launchpad's
 * lib/lp/app/validators/name.py).
 */
export const LAUNCHPAD_NAME = '[a-z0-9][a-z0-9+.-]*';

/** A name as Launchpad has it, of one that people write in capitals or with white space around it. */
export function launchpadName(written: string): string {
  return written.trim().toLowerCase();
}

/** What is said to whoever gives a text that `readPpa` does not read. */
export const INVALID_PPA =
  'Enter ppa:owner/name, ~owner/ubuntu/name, owner/name or its address on Launchpad.';

/** The forms that a PPA is written in, as regular expressions of those of its parts. */
const formsOf = (owner: string, distribution: string, name: string) => [
  `ppa:${owner}/(?:${distribution}/)?${name}`,
  `~${owner}/${distribution}/${name}`,
  `${owner}/${name}`,
  `https://launchpad\\.net/~${owner}/\\+archive/(?:${distribution}/)?${name}/?`,
];

const FORMS = formsOf(
  `(?<owner>${LAUNCHPAD_NAME})`,
  `(?<distribution>${LAUNCHPAD_NAME})`,
  `(?<name>${LAUNCHPAD_NAME})`,
).map((form) => new RegExp(`^${form}$`));

/** The distribution of a PPA where neither its text nor anybody else says which. */
export const DEFAULT_DISTRIBUTION = 'ubuntu';

/** The distribution of a PPA whose text names none, where any is meant. None has such a name. */
export const ANY_DISTRIBUTION = '*';

/** Reads a PPA as people write it: as `parsePpa`, in any case and with white space around it. */
export function readPpa(text: string, archive = DEFAULT_DISTRIBUTION): Ppa | undefined {
  return parsePpa(launchpadName(text), archive);
}

/**
 * What is said to whoever gives a PPA and a distribution that it is not of.
 *
 * @returns undefined where it is of that distribution, or none is given
 */
export function distributionProblem(ppa: Ppa, archive: string | undefined): string | undefined {
  if (archive === undefined || ppa.distribution === archive) return undefined;
  return `${ppaReference(ppa)} is a PPA of ${ppa.distribution}, not of ${archive}.`;
}

/**
 * Reads a PPA in any form that callers use: `ppa:owner/name`, `~owner/ubuntu/name`, `owner/name`, and the
 * address of its page on Launchpad.
 *
 * @param archive the distribution where the text names none
 * @returns undefined where the text has none of these forms
 */
export function parsePpa(text: string, archive: string): Ppa | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups)
      return {
        owner: groups['owner'] as string,
        distribution: groups['distribution'] ?? archive,
        name: groups['name'] as string,
      };
  }
  return undefined;
}

/**
 * What the texts of a PPA match in any of its forms, and no others that `readPpa` reads, where no case counts: a
 * regular expression for JavaScript and PostgreSQL. A text may name the PPA's distribution, or none.
 */
export function ppaPattern({ owner, distribution, name }: Ppa): string {
  const literal = (part: string) => part.replaceAll(/[+.]/g, String.raw`\$&`);
  const inDistribution = distribution === ANY_DISTRIBUTION ? LAUNCHPAD_NAME : literal(distribution);
  return String.raw`^\s*(?:${formsOf(literal(owner), inDistribution, literal(name)).join('|')})\s*$`;
}

/**
 * The PPA of a request that was accepted, whose text was read when it came.
 *
 * @throws Error where the text is not a PPA, which no accepted request has
 */
export function acceptedPpa({ ppa: text, archive }: { ppa: string; archive: string }): Ppa {
  const ppa = readPpa(text, archive);
  if (!ppa) throw new Error(`The row says that ${JSON.stringify(text)} is a PPA.`);
  return ppa;
}

/** The PPA as Launchpad's archive reference, `~owner/distribution/name`. */
export function ppaReference(ppa: Ppa): string {
  return `~${ppa.owner}/${ppa.distribution}/${ppa.name}`;
}
