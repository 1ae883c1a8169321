/**
 * What makes builds fail, as the lines of an sbuild log say it. The signs know what compilers, test runners, debhelper,
 * dpkg, apt, make and sbuild print. For each kind of line the tests have one: in a real log
 * (`test/diagnosis/build-logs/`), as an example below, or in a table (`test/diagnosis/signs/lines.ts`).
 */

/** Each rule, what it finds, and one line that it goes by. */
export const ROOT_CAUSE_RULES = {
  build_killed: {
    finds: 'The build was ended from outside: silent for too long, or over its time',
    example: 'E: Build killed with signal TERM after 150 minutes of inactivity',
  },
  disk_full: {
    finds: 'The disk was full',
    example: 'prog.c:2:1: fatal error: error writing to /tmp/ccX.s: No space left on device',
  },
  out_of_memory: {
    finds: 'Memory ran out, or a command of the build was killed, which is how it mostly shows',
    example: 'cc: fatal error: Killed signal terminated program cc1',
  },
  chroot_setup: {
    finds: 'The chroot could not be set up or entered',
    example: 'E: Error creating chroot session: skipping hello',
  },
  unreachable: {
    finds: 'An archive, or another host that the build wants, could not be reached',
    example: 'E: Failed to fetch http://ppa.example/dists/noble/InRelease  404  Not Found',
  },
  unmet_dependency: {
    finds: 'A build dependency is not available, or conflicts with another',
    example: ' sbuild-build-depends-main-dummy : Depends: libfoo-dev but it is not installable',
  },
  wrong_architecture: {
    finds: 'The source is not for this architecture',
    example:
      'E: dsc: amd64 not in arch list or does not match any arch wildcards: i386 -- skipping',
  },
  source_damaged: {
    finds: 'A file of the source has a wrong checksum, or cannot be unpacked',
    example: 'tar: This does not look like a tar archive',
  },
  patch_not_applied: {
    finds: 'A patch does not apply to the source',
    example: 'Hunk #1 FAILED at 12.',
  },
  missing_dependency: {
    finds: 'Configuring asks for something that is not installed',
    example: 'configure: error: Package requirements (zlib >= 2.0) were not met:',
  },
  missing_header: {
    finds: 'A header that the source includes is not installed',
    example: 'main.c:1:10: fatal error: zlib.h: No such file or directory',
  },
  missing_library: {
    finds: 'A library to link with is not installed',
    example: '/usr/bin/ld: cannot find -lz: No such file or directory',
  },
  missing_module: {
    finds: 'A module of a scripting language, or a package of a compiled one, is not installed',
    example: "ModuleNotFoundError: No module named 'yaml'",
  },
  missing_program: {
    finds: 'A program that the build runs is not installed',
    example: '/bin/sh: 1: help2man: not found',
  },
  configure_error: {
    finds: 'Configuring refused to go on for another reason',
    example: 'configure: error: the target is not known',
  },
  undefined_reference: {
    finds: 'The linker found no definition of what is used',
    example: "main.c:(.text+0xa): undefined reference to `frobnicate'",
  },
  linker_error: {
    finds: 'The linker refused for another reason',
    example:
      "/usr/bin/ld: b.o:(.data+0x0): multiple definition of `counter'; a.o:first defined here",
  },
  compiler_error: {
    finds: 'A compiler refused the source',
    example: "main.c:3:3: error: expected ';' before 'return'",
  },
  failing_test: {
    finds: 'A test of the package failed',
    example: 'FAIL: test-sums',
  },
  debhelper_step: {
    finds: 'A step of debhelper refused what it found, or does not know what it was asked for',
    example:
      'dh_install: warning: Cannot find (any matches for) "usr/bin/foo" (tried in ., debian/tmp)',
  },
  shared_library: {
    finds: 'A shared library has no package, or lost symbols',
    example:
      'dpkg-shlibdeps: error: cannot find library libfoo.so.1 needed by debian/foo/usr/bin/foo',
  },
  package_metadata: {
    finds: 'dpkg refused debian/control, debian/changelog or what is made of them',
    example: 'dpkg-gencontrol: error: debian/control: syntax error',
  },
  makefile_error: {
    finds: 'A makefile is wrong, or names a file that nothing makes',
    example: "make[1]: *** No rule to make target 'foo.o', needed by 'foo'.  Stop.",
  },
  crashed: {
    finds: 'A program of the build crashed',
    example: 'make[1]: *** [Makefile:4: docs] Segmentation fault (core dumped)',
  },
  command_failed: {
    finds: 'A command or script of the build says what it could not do',
    example: "cp: cannot stat 'doc/index.html': No such file or directory",
  },
  failed_step: {
    finds: 'No line that Airline knows says more than which step failed',
    example: 'make[1]: *** [Makefile:2: all] Error 3',
  },
} as const satisfies Record<string, { finds: string; example: string }>;

export type RootCauseRule = keyof typeof ROOT_CAUSE_RULES;
