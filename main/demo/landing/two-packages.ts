import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeChanges } from '../make-changes.ts';
import { versionStamp } from '../new-version.ts';
import { DEVELOPER, signUploads, type SignedUpload } from '../sign-upload.ts';

// Each is the name of a source package and of the one binary package that it makes.
const WORDS = 'airline-greeting-words';
export const GREETING = 'airline-greeting';

/** What the installed command prints. */
export const GREETING_TEXT = 'Hello from the landing.';

type Source = {
  name: string;
  buildDepends: readonly string[];
  depends: readonly string[];
  /** Shell commands that fill `debian/tree`, one a line. */
  install: readonly string[];
  /** The DEP-8 test, a shell script. */
  test: string;
  files: Readonly<Record<string, string>>;
};

/**
 * Two small source packages with a DEP-8 test each, of which the second needs the first to build. Neither needs more
 * than build-essential else, so that nothing has to be installed for them.
 */
const SOURCES: readonly Source[] = [
  {
    name: GREETING,
    buildDepends: [WORDS],
    depends: [WORDS],
    install: [
      'install -D -m 755 greeting debian/tree/usr/bin/airline-greeting',
      // Only where the words are installed can it be built.
      `test -s /usr/share/${WORDS}/words`,
    ],
    test: `#!/bin/sh\nset -e\ntest "$(airline-greeting)" = "${GREETING_TEXT}"\n`,
    files: { greeting: `#!/bin/sh\nexec cat /usr/share/${WORDS}/words\n` },
  },
  {
    name: WORDS,
    buildDepends: [],
    depends: [],
    install: [`install -D -m 644 words debian/tree/usr/share/${WORDS}/words`],
    test: `#!/bin/sh\nset -e\ntest -s /usr/share/${WORDS}/words\n`,
    files: { words: `${GREETING_TEXT}\n` },
  },
];

/** Makes new versions of the two packages, and signs them. The one that needs the other comes first. */
export async function makeTwoPackages(options: {
  directory: string;
  series: string;
  keysDirectory: string;
  now: Date;
}): Promise<SignedUpload[]> {
  const changes: string[] = [];
  for (const source of SOURCES) {
    const tree = join(options.directory, source.name, 'tree');
    for (const [path, content] of Object.entries(filesOf(source, options)))
      await writeTo(join(tree, path), content);
    await chmod(join(tree, 'debian/rules'), 0o755);
    changes.push(await makeChanges(tree));
  }
  return signUploads(changes, options.keysDirectory);
}

function filesOf(
  { name, buildDepends, depends, install, test, files }: Source,
  { series, now }: { series: string; now: Date },
): Record<string, string> {
  const person = `${DEVELOPER.DEBFULLNAME} <${DEVELOPER.DEBEMAIL}>`;
  const version = `1.0+${versionStamp(now)}`;
  return {
    ...files,
    'debian/source/format': '3.0 (native)\n',
    'debian/changelog': `${name} (${version}) ${series}; urgency=medium\n\n  * For the demonstration.\n\n -- ${person}  ${now.toUTCString().replace('GMT', '+0000')}\n`,
    'debian/control': [
      `Source: ${name}`,
      'Section: misc',
      'Priority: optional',
      `Maintainer: ${person}`,
      'Standards-Version: 4.6.2',
      'Rules-Requires-Root: no',
      ...fieldOf('Build-Depends', buildDepends),
      '',
      `Package: ${name}`,
      'Architecture: all',
      ...fieldOf('Depends', depends),
      'Description: part of the demonstration of a landing',
      ' It is of no use else.',
      '',
    ].join('\n'),
    'debian/rules': [
      '#!/usr/bin/make -f',
      'clean:',
      '\trm -rf debian/tree debian/files',
      'build build-arch build-indep:',
      'binary-indep: build',
      '\tmkdir -p debian/tree/DEBIAN',
      ...install.map((line) => `\t${line}`),
      `\tdpkg-gencontrol -p${name} -Pdebian/tree`,
      '\tdpkg-deb --root-owner-group --build debian/tree ..',
      'binary-arch:',
      'binary: binary-arch binary-indep',
      '.PHONY: clean build build-arch build-indep binary binary-arch binary-indep',
      '',
    ].join('\n'),
    'debian/tests/control': 'Tests: works\nDepends: @\n',
    'debian/tests/works': test,
  };
}

function fieldOf(field: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${field}: ${values.join(', ')}`] : [];
}

async function writeTo(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
