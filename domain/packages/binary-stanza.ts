import type { Stanza } from './control-stanza.ts';
import type { PackageVersion } from './source-file.ts';

/**
 * The source package that a package of an index `Packages` was built from. The stanza names it where it has another
 * name or version than the package: `Source: bar (1.0)` (deb-control(5)).
 */
export function sourceOfBinary(stanza: Stanza): PackageVersion {
  const field = stanza.get('source') ?? stanza.get('package') ?? '';
  const [, source = '', version] = /^(\S+)(?: \((\S+)\))?/.exec(field) ?? [];
  return { source, version: version ?? stanza.get('version') ?? '' };
}
