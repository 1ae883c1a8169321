import type { ArchitectureBuild } from './progress.ts';

/** A package that the PPA still builds, and Launchpad's page on which its owner deletes it there. */
export type BuiltLater = { package: string; url: string };

const BUILD_PAGE = /^(?<ppa>https?:\/\/[^?#]+\/\+archive\/[^?#]+)\/\+build\/[^/?#]+$/;

/**
 * What the PPA builds all the same after its build in Airline has ended: packages in Dependency wait, which Launchpad
 * cannot cancel, and tries again when what they wait for comes.
 *
 * @param builds of a build that has ended
 */
export function builtLater(
  builds: readonly Pick<ArchitectureBuild, 'package' | 'state' | 'web_link'>[],
): BuiltLater[] {
  const urls = new Map<string, string>();
  for (const one of builds) {
    const ppa = BUILD_PAGE.exec(one.web_link)?.groups?.['ppa'];
    if (one.state !== 'dependency_wait' || ppa === undefined) continue;
    urls.set(
      one.package,
      `${ppa}/+delete-packages?field.name_filter=${encodeURIComponent(one.package)}`,
    );
  }
  return [...urls].map(([name, url]) => ({ package: name, url }));
}
