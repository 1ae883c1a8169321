import { ECHO, sign, type Sign } from '../sign.ts';

/** debhelper and dpkg. */
export const DEBHELPER_SIGNS: readonly Sign[] = [
  sign('shared_library', 'cause', /^dpkg-(?:shlibdeps|gensymbols): error: /, ECHO),
  sign(
    'debhelper_step',
    'cause',
    /^dh_install: warning: Cannot find |^dh_missing: warning: .* is not installed to anywhere/,
  ),
  sign('debhelper_step', 'cause', /^dh(?:_\w+)?: error: /, ECHO),
  // Of what is wrong with a changelog this comes first, and its error says less.
  sign('package_metadata', 'cause', /^dpkg-buildpackage: warning: +debian\/changelog\(l\d+\): /),
  sign('package_metadata', 'cause', /^dpkg-(?!source: error: LC_ALL)[a-z]+: error: /, ECHO),
];
