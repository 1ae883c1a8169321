import { labelled, sign, type Sign } from '../sign.ts';

/** Only names the folder in which configure refuses to go on; the next line says why. */
const FOLDER = /^(?:\S*\/)?configure: error: in [`'].*':$/;

/** Configuring: autoconf, CMake, meson, qmake. */
export const CONFIGURE_SIGNS: readonly Sign[] = [
  labelled(
    'missing_dependency',
    'cause',
    /^(?:\S*\/)?configure: error: .*(?:requirements .* not met|not found|[Cc]ould ?n[o']t? (?:be )?f(?:i|ou)nd|[Cc]annot find|[Cc]an't find|[Uu]nable to (?:find|locate)|[Mm]issing|(?:is|are) (?:required|needed)|not (?:be )?(?:installed|available)|[Yy]ou need|[Pp]lease install|[Rr]equires |No package ')/,
    FOLDER,
  ),
  sign(
    'missing_dependency',
    'cause',
    /^CMake Error at .*(?:\(find_package\)|FindPackageHandleStandardArgs\.cmake:\d+ \(message\)|FindPkgConfig\.cmake:\d+ \(message\)):/,
  ),
  labelled(
    'missing_dependency',
    'cause',
    /^\S*meson\.build:\d+:\d+: ERROR: .*(?:not found|[Dd]ependency lookup|could not be found)/,
  ),
  sign(
    'missing_dependency',
    'cause',
    /^Project ERROR: (?:Unknown module|.* not found)|^! LaTeX Error: File `.*' not found/,
  ),
  // Cabal, before and since it prints the number of an error above.
  labelled('missing_dependency', 'cause', /^\S+: Encountered missing or private dependencies:$/),
  sign('missing_dependency', 'cause', /^Encountered missing or private dependencies:$/),
  sign(
    'missing_dependency',
    'hint',
    /^No package '.*' found|^Package .* was not found in the pkg-config search path|^Package '.*', required by '.*', not found/,
  ),
  labelled(
    'configure_error',
    'cause',
    /^(?:\S*\/)?configure: (?:error:(?: |$)|(?:line )?\d+: )/,
    FOLDER,
  ),
  labelled(
    'configure_error',
    'cause',
    /^(?:\S*\/)?(?:configure\.(?:ac|in)|Makefile\.am|[\w.-]+\.(?:am|m4)):\d+: error: /,
  ),
  // CMake could not fetch what the project wants. Where it could not reach it, a line below says so.
  sign(
    'configure_error',
    'likely',
    /^CMake Error at \S*(?:-gitclone|\/download-[^\s:/]+|\/FetchContent)\.cmake:\d+ \(message\):/,
  ),
  sign('configure_error', 'cause', /^CMake Error(?: at| in|:)|^Project ERROR: /),
  labelled('configure_error', 'cause', /^\S*meson\.(?:build|options?):\d+:\d+: ERROR: /),
];
