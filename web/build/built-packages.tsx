import { MAX_BUILT_PACKAGES } from '../../domain/builds/built-package.ts';
import { sizeText } from '../../domain/text/quantity-text.ts';
import { webAddress } from '../addresses.ts';
import { Copyable } from '../components/copyable.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { Icon } from '../components/icon.tsx';
import { TableHead } from '../components/table-head.tsx';
import { counted } from '../format.ts';
import type { Build } from '../server/api-types.ts';

type BuiltPackage = Build['built_packages'][number];

/** So many packages one installs by name; of more, one picks. */
const MAX_INSTALLED = 5;

/** The packages that a build has made, where it failed on other architectures too: each with its file. */
export function BuiltPackages({ build }: { build: Build }) {
  const packages = build.built_packages.toSorted(byNameDebugLast);
  if (build.state !== 'completed' && packages.length === 0) return null;
  return (
    <section aria-labelledby="packages">
      <h2 id="packages">Packages built</h2>
      {packages.length === 0 ? (
        <p class="card packages-none muted">
          The PPA had not listed its packages when the build ended. Look for them here:{' '}
          {build.builds.slice(0, 1).map((one) => (
            <ExternalLink key={one.web_link} to={one.web_link}>
              the build in the PPA
            </ExternalLink>
          ))}
        </p>
      ) : (
        <>
          <div
            class="card packages-built"
            tabIndex={0}
            role="region"
            aria-label="Packages, one a line"
          >
            <table class="list">
              <caption class="visually-hidden">The packages that the build has made</caption>
              <TableHead columns={['Package', 'Version', 'Architecture', 'Size', 'File']} />
              <tbody>
                {packages.map((one) => (
                  <tr key={`${one.name} ${one.version} ${one.architecture}`}>
                    <td class="cell-main">
                      <span class="mono">{one.name}</span>
                    </td>
                    <td class="mono">{one.version}</td>
                    <td>{one.architecture}</td>
                    <td class="figure">{one.size === null ? '–' : sizeText(one.size)}</td>
                    <td>
                      <Download one={one} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {packages.length === MAX_BUILT_PACKAGES && (
            <p class="muted">It may have made more: the first {MAX_BUILT_PACKAGES} are kept.</p>
          )}
        </>
      )}
    </section>
  );
}

/** How apt gets what was built: its line for `sources.list`, and the command that installs. */
export function AptLines({ build }: { build: Build }) {
  const { apt, built_packages: packages } = build;
  if (packages.length === 0) return null;
  const names = [...new Set(packages.map(({ name }) => name))].filter((name) => !isDebug(name));
  const bytes = packages.reduce((sum, one) => sum + (one.size ?? 0), 0);
  return (
    <div class="apt-lines">
      {apt !== null && (
        <>
          <Copyable label="The line for sources.list" text={apt} />
          <p class="muted">
            apt needs the key of the PPA first. On Ubuntu,{' '}
            <code>sudo add-apt-repository ppa:owner/name</code> adds the key and the line of a PPA
            of Launchpad.
          </p>
        </>
      )}
      {names.length > 0 && names.length <= MAX_INSTALLED && (
        <Copyable
          label="The command that installs"
          text={`sudo apt update && sudo apt install ${names.join(' ')}`}
        />
      )}
      <p>
        <a href="#packages">{counted(packages.length, 'package')}</a>
        {bytes > 0 && <span class="muted">, {sizeText(bytes)}</span>}
        {apt === null && (
          <span class="muted">; the PPA is private, or did not say how apt gets it</span>
        )}
      </p>
    </div>
  );
}

function Download({ one }: { one: BuiltPackage }) {
  const address = one.url === null ? undefined : webAddress(one.url);
  if (address === undefined) return <span class="muted">not known</span>;
  return (
    <a class="download" href={address} rel="noopener noreferrer" title={one.sha256 ?? undefined}>
      <Icon name="download" />
      Download
      <span class="visually-hidden">
        {' '}
        {one.name} for {one.architecture}
      </span>
    </a>
  );
}

function isDebug(name: string): boolean {
  return /-(dbgsym|dbg)$/.test(name);
}

function byNameDebugLast(one: BuiltPackage, other: BuiltPackage): number {
  return (
    Number(isDebug(one.name)) - Number(isDebug(other.name)) ||
    one.name.localeCompare(other.name) ||
    one.architecture.localeCompare(other.architecture)
  );
}
