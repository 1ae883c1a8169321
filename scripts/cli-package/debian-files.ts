/** A file below debian/. */
type DebianFile = { readonly text: string; readonly mode?: number };

const MAINTAINER = 'Airline developers <airline@localhost>';

const ROOT = 'debian/airline-cli';
/** Without debhelper: files are put in their places, which needs nothing that a bare chroot for builds has not. */
const RULES = `#!/usr/bin/make -f
ROOT = ${ROOT}

clean:
	rm -rf $(ROOT) debian/files

build build-arch build-indep binary-arch:

binary binary-indep:
	install -D -m 755 airline.mjs $(ROOT)/usr/lib/airline/airline.mjs
	install -d $(ROOT)/usr/bin $(ROOT)/usr/share/man/man1 $(ROOT)/DEBIAN
	ln -sf ../lib/airline/airline.mjs $(ROOT)/usr/bin/airline
	install -m 644 man/*.1 $(ROOT)/usr/share/man/man1
	gzip -9nf $(ROOT)/usr/share/man/man1/*.1
	install -D -m 644 completion/airline $(ROOT)/usr/share/bash-completion/completions/airline
	install -D -m 644 completion/_airline $(ROOT)/usr/share/zsh/vendor-completions/_airline
	install -D -m 644 debian/copyright $(ROOT)/usr/share/doc/airline-cli/copyright
	gzip -9nc debian/changelog > $(ROOT)/usr/share/doc/airline-cli/changelog.gz
	dpkg-gencontrol -P$(ROOT)
	dpkg-deb --root-owner-group --build $(ROOT) ..

.PHONY: clean build build-arch build-indep binary binary-arch binary-indep
`;

/**
 * What makes a Debian source package of the command: `debian/` of a native package that installs files, and so builds
 * for all architectures.
 *
 * @returns the files by their names below debian/
 */
export function debianFiles(version: string): Map<string, DebianFile> {
  return new Map<string, DebianFile>([
    [
      'control',
      {
        text: `Source: airline-cli
Section: devel
Priority: optional
Maintainer: ${MAINTAINER}
Standards-Version: 4.6.2
Rules-Requires-Root: no

Package: airline-cli
Architecture: all
Depends: nodejs (>= 20.19)
Recommends: gpg
Suggests: bash-completion
Description: command of Airline, a ticket and source build service
 Submits source packages as tickets, has them built in a PPA, follows the
 builds and says why they fail.
`,
      },
    ],
    ['rules', { text: RULES, mode: 0o755 }],
    [
      'changelog',
      {
        text: `airline-cli (${version}) unstable; urgency=medium

  * The command of Airline ${version}.

 -- ${MAINTAINER}  Thu, 01 Jan 2026 00:00:00 +0000
`,
      },
    ],
    [
      'copyright',
      {
        text: `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: Airline developers
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
`,
      },
    ],
    ['source/format', { text: '3.0 (native)\n' }],
  ]);
}
