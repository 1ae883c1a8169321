import { readAptOptions, readAptSources, type AptSources } from '../../../sandbox/machine.ts';
import { ImageProblem } from '../test-machine.ts';

/** Where the packages of a series come from. */
export type Mirrors = {
  sources: AptSources[];
  /** The addresses in them. */
  addresses: string[];
  /** Options of apt that this machine needs for them, one a line of apt.conf(5). */
  options: string[];
  /** The proxy that this machine needs for http. */
  proxy: string | undefined;
};

/**
 * The mirrors of a series: the one that is given, else those of the machine.
 *
 * @throws ImageProblem where there are none
 */
export async function readMirrors(series: string, mirror: string | undefined): Promise<Mirrors> {
  const sources =
    mirror === undefined
      ? await readAptSources(series)
      : [
          {
            name: '0.list',
            text: `deb ${mirror} ${series} main\ndeb ${mirror} ${series}-updates main\n`,
          },
        ];
  if (sources.length === 0) throw new ImageProblem(`This machine has no apt source for ${series}.`);
  const addresses = sources.flatMap(({ text }) => text.match(/https?:\/\/[^\s\]]+/g) ?? []);
  const all = await readAptOptions();
  const proxy = all
    .map((line) => /^Acquire::http::Proxy "(http:[^"]+)"/i.exec(line)?.[1])
    .find((found) => found !== undefined);
  return {
    sources,
    addresses: [...new Set(addresses)].filter((address) => URL.canParse(address)),
    options: all,
    proxy,
  };
}
