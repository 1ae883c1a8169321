import { printable } from '../domain/printable.ts';

/**
 * What made a build fail, by rules over the lines of its sbuild log. The rules know what compilers, test runners,
 * debhelper, dpkg, apt, make and sbuild print; each was checked against real logs (`test/diagnosis/build-logs/`).
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
    finds: 'Memory ran out, or a compiler was killed, which is how it mostly shows',
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
    finds: 'A build dependency is not to be had, or conflicts with another',
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
    finds: 'Nothing says more than which step failed',
    example: 'make[1]: *** [Makefile:2: all] Error 3',
  },
} as const satisfies Record<string, { finds: string; example: string }>;

type RootCauseRule = keyof typeof ROOT_CAUSE_RULES;

/** What a log says of why its build failed. */
export type CauseInLog = {
  rule: RootCauseRule;
  /** The line that says it, counted from 1. */
  line: number;
  /** That line and some around it, without control characters. */
  excerpt: string;
  /** The line that the excerpt begins with, counted from 1. */
  excerptLine: number;
};

/** At most so many lines of a log are in an excerpt. */
export const EXCERPT_LINES = 12;
/** At most so many characters are in an excerpt. */
export const EXCERPT_CHARACTERS = 2_000;
const LINES_BEFORE = 4;
const LINE_CHARACTERS = 240;

/** How much a line counts against the others of the step that failed. */
const WEIGHTS = {
  /** Only names the step; the first of them. */
  step: 1,
  /** May be the cause where nothing else is; the last one before make gives up. */
  hint: 2,
  /** Is a cause; the first of them. */
  cause: 3,
  /** A failing test, in a step that runs tests: there, what else looks like a cause may be what a test is to print. */
  test: 4,
  /** Ended the build whatever it was doing. */
  end: 5,
} as const;

type Weight = keyof typeof WEIGHTS;
type Sign = {
  rule: RootCauseRule;
  weight: Weight;
  pattern: RegExp;
  except?: RegExp | undefined;
  isLabelled: boolean;
};

const sign = (rule: RootCauseRule, weight: Weight, pattern: RegExp, except?: RegExp): Sign => ({
  rule,
  weight,
  pattern,
  except,
  isLabelled: false,
});
/** A sign of lines only whose first word ends with a colon: a place, or a program's name. */
const labelled = (...args: Parameters<typeof sign>): Sign => ({
  ...sign(...args),
  isLabelled: true,
});

/** The program that a file-less message of a compiler starts with. */
const COMPILER =
  /^(?:\S*[-/])?(?:cc|c\+\+|gcc|g\+\+|cc1|cc1plus|cc1obj|clang|clang\+\+|f951|gfortran|cpp|as|lto1|lto-wrapper|valac|rustc|ghc)(?:-[\d.]+)?: (?:fatal )?error: /;
/** A command that failed only because what it ran failed, which says why itself. */
const ECHO =
  /returned exit (?:code|status)|subprocess (?:returned|failed|was killed)|failed with exit (?:code|status)|died with signal|missing files, aborting|cannot continue due to the error|linker command failed/;

/** Perl's last words; no line begins in a way that tells them. */
const PERL_DIED = /^\S.* at \S+ line \d+\.$/;

/** What a line says, by the first sign that fits it. */
const SIGNS: readonly Sign[] = [
  sign('build_killed', 'end', /^(?:E: )?Build killed with signal /),
  sign('build_killed', 'end', /^The build took longer than \d+ ms and was ended/),

  labelled(
    'disk_full',
    'cause',
    /^\S+: .*(?:No space left on device|Disk quota exceeded|You don't have enough free space)/,
  ),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:Killed signal terminated program |internal compiler error: Killed)/,
  ),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:out of memory allocating \d|Cannot allocate memory)/,
  ),
  sign(
    'out_of_memory',
    'cause',
    /^virtual memory exhausted|^LLVM ERROR: out of memory|^terminate called .*'std::bad_alloc'|^Exception in .*java\.lang\.OutOfMemoryError|^FATAL ERROR: .*heap out of memory/,
  ),
  sign('out_of_memory', 'cause', /^g?make(?:\[\d+\])?: \*{3} \[.*\] (?:Killed|Error 137)$/),

  sign(
    'chroot_setup',
    'cause',
    /^Chroot .* does not exist$|^E: (?:Error creating chroot|Chroot .* not found|Failed to .*chroot)/,
  ),
  sign('chroot_setup', 'cause', /^(?:mmdebstrap (?:was ended|ended with)|There is no chroot of )/),
  sign(
    'unreachable',
    'cause',
    /^E: (?:Failed to fetch |The repository .* (?:does not have|no longer has|is not signed))/,
  ),
  labelled(
    'unreachable',
    'hint',
    /^\S+: .*(?:Temporary failure (?:in name resolution|resolving )|Could not resolve host|unable to resolve host address|Network is unreachable|Name or service not known)/,
  ),
  sign('unreachable', 'hint', /^Could not connect .*: Temporary failure in name resolution/),
  sign(
    'wrong_architecture',
    'cause',
    /^E: .*not in arch list or does not match any arch wildcards/,
  ),
  sign(
    'unmet_dependency',
    'cause',
    /^ (?:\S+ :| +)? ?(?:Pre-?Depends|Depends|Conflicts|Breaks): .+ but .+ install(?:able|ed)$/,
  ),
  sign(
    'unmet_dependency',
    'cause',
    /^dpkg-checkbuilddeps: error: Unmet build |^E: Unable to locate package |^E: Package '.*' has no installation candidate|^dpkg: error processing (?:package|archive) /,
  ),
  sign('unmet_dependency', 'hint', /^E: Unable to correct problems/),

  sign(
    'patch_not_applied',
    'cause',
    /^Hunk #\d+ FAILED at |^patch: \*{4} |^can't find file to patch at input line |^Patch \S+ (?:does not apply|can be reverse-applied)|^Reversed \(or previously applied\) patch detected|^error: patch failed: /,
  ),
  sign(
    'patch_not_applied',
    'cause',
    /^dpkg-source: (?:info: the patch has fuzz|error: (?:aborting due to unexpected upstream changes|diff |expected |.* (?:in|of) diff '))/,
  ),
  // quilt's words; some packages ask it to apply what may not be there.
  sign('patch_not_applied', 'hint', /^No series file found$/),
  sign(
    'source_damaged',
    'cause',
    /^(?:xz|gzip|bzip2|lzma|zstd): .*(?:not in gzip format|[Ff]ile format not recognized|not a bzip2 file|[Uu]nexpected end of (?:file|input)|corrupt|crc error|invalid compressed data)/,
  ),
  sign(
    'source_damaged',
    'cause',
    /^tar: (?:This does not look like a tar archive|Unexpected EOF in archive)/,
  ),
  sign(
    'source_damaged',
    'cause',
    /^dpkg-source: error: .*(?:checksum|has size|bad signature|cannot (?:open|read|find)|unpack)/,
    ECHO,
  ),

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

  labelled(
    'missing_dependency',
    'cause',
    /^(?:\S*\/)?configure: error: .*(?:requirements .* not met|not found|[Cc]ould ?n[o']t? (?:be )?f(?:i|ou)nd|[Cc]annot find|[Cc]an't find|[Uu]nable to (?:find|locate)|[Mm]issing|(?:is|are) (?:required|needed)|not (?:be )?(?:installed|available)|[Yy]ou need|[Pp]lease install|[Rr]equires )/,
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
  sign(
    'missing_dependency',
    'hint',
    /^No package '.*' found|^Package .* was not found in the pkg-config search path|^Package '.*', required by '.*', not found/,
  ),
  labelled('configure_error', 'cause', /^(?:\S*\/)?configure: (?:error: |(?:line )?\d+: )/),
  labelled(
    'configure_error',
    'cause',
    /^(?:\S*\/)?(?:configure\.(?:ac|in)|Makefile\.am|[\w.-]+\.(?:am|m4)):\d+: error: /,
  ),
  sign('configure_error', 'cause', /^CMake Error(?: at| in|:)|^Project ERROR: /),
  labelled('configure_error', 'cause', /^\S*meson\.(?:build|options?):\d+:\d+: ERROR: /),

  labelled(
    'missing_header',
    'cause',
    /^[^\s:]+:\d+:\d+: fatal error: (?:\S+: No such file or directory|'.*' file not found)$/,
  ),
  labelled(
    'missing_library',
    'cause',
    /^\S*\b(?:ld(?:\.\w+)?|mold): (?:error: |fatal: )?(?:cannot find -l|unable to find library -l|library not found: )/,
  ),
  sign(
    'missing_module',
    'test',
    /^(?:E {2,})?(?:ModuleNotFoundError: |ImportError: (?:No module named|cannot import name))/,
  ),
  sign(
    'missing_module',
    'cause',
    /^(?:# *)?Can't locate \S+\.pm in @INC|^Error: Cannot find module '/,
  ),
  labelled('missing_module', 'cause', /^\S+: .*cannot load such file -- /),
  sign(
    'missing_module',
    'cause',
    /^error: no matching package named|^error\[E0463\]: |^\s+Could not find module ‘|^\[ERROR\] .*Could not resolve dependencies for project/,
  ),
  labelled(
    'missing_module',
    'cause',
    /^\S+\.java:\d+: error: package \S+ does not exist$|^\S+\.go:\d+:\d+: (?:cannot find package "|no required module provides package)/,
  ),
  sign('missing_program', 'cause', /^Can't exec "/),
  labelled(
    'missing_program',
    'hint',
    /^\S+: (?:line )?\d+: \S+: (?:command )?not found$|^(?:\/usr\/bin\/)?env: .*: No such file or directory$|^g?make(?:\[\d+\])?: [^\s:*]+: (?:No such file or directory|Permission denied)$/,
  ),

  // Before the compilers: Boost's tests speak as they do.
  labelled('failing_test', 'test', /^\S+\(\d+\): (?:fatal )?error: in "/),
  sign('failing_test', 'test', /^FAIL: \S|^(?:ERROR|XPASS): (?:\S+$|\w+ \()/, /_FailedTest/),
  sign('failing_test', 'test', /^\s*not ok \d+\b/, /# (?:TODO|SKIP)/i),
  sign('failing_test', 'test', /^# {3}Failed test |^t\/\S+ \.+ *(?:Failed|Dubious)/),
  sign('failing_test', 'test', /^E {3}\s*\S|^(?:FAILED|ERROR) \S+(?:::| - )/),
  sign(
    'failing_test',
    'test',
    /^ *\d+\/\d+ Test +#\d+: .*\*{3}(?:Failed|Exception|Timeout|Not Run)\b/,
  ),
  sign('failing_test', 'test', /^ *\d+\/\d+ .* (?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) +\d/),
  sign('failing_test', 'test', /^\s*--- FAIL: |^FAIL\t\S+/, /\[(?:build|setup) failed\]/),
  sign(
    'failing_test',
    'test',
    /^test \S+ \.\.\. FAILED$|^\[ {2}FAILED {2}\] |^FAIL! {2}: |^ {2}\d+ failing$/,
  ),
  labelled('failing_test', 'test', /^\S+: FAILED:$/),
  sign(
    'failing_test',
    'test',
    /^(?:\[ERROR\] )?Tests run: \d+, (?:Failures: [1-9]|.*Errors: [1-9])|^\d+%: Checks: \d+, (?:Failures: [1-9]|.*Errors: [1-9])/,
  ),
  labelled('failing_test', 'test', /^\S+: \S+: .*: Assertion .* failed\.?$/),

  labelled(
    'undefined_reference',
    'cause',
    /^[^\s:]+:.*(?:: undefined reference to |error: undefined symbol: )/,
    /warning: undefined reference/,
  ),
  labelled(
    'linker_error',
    'cause',
    /^\S*\bld(?:\.\w+)?: .*(?:multiple definition of|relocation \S+ against|error adding symbols|file format not recognized|cannot find \S|DSO missing from)/,
  ),

  sign(
    'compiler_error',
    'cause',
    /^[^\s:'"`]+:\d+(?::\d+)?: (?:fatal error|[Ee]rror|ERROR):?(?: |$)/,
  ),
  labelled('compiler_error', 'cause', COMPILER, ECHO),
  labelled('compiler_error', 'cause', /^\S+: internal compiler error: /),
  sign(
    'compiler_error',
    'cause',
    /^error\[E\d{4}\]: |^(?:Fatal )?Error: .* at \(1\)|^\[ERROR\] \S+\.\w+:\[\d+,\d+\] /,
  ),
  labelled('compiler_error', 'cause', /^(?:vet: )?[^\s:]+\.go:\d+:\d+: /),
  labelled(
    'compiler_error',
    'cause',
    /^[^\s:()]+\(\d+(?:,\d+)?\):? (?:fatal )?[Ee]rror\b|^[^\s:]+:\d+\.\d+-\d+\.\d+: error: /,
  ),

  labelled(
    'makefile_error',
    'cause',
    /^(?:\S+:\d+|g?make(?:\[\d+\])?): \*{3} .*\. {2}Stop\.$|^ninja: error: /,
  ),
  sign(
    'crashed',
    'hint',
    /^(?:Segmentation fault|Illegal instruction|Bus error|Aborted|Floating point exception)(?: \(core dumped\))?$/,
  ),
  labelled(
    'crashed',
    'hint',
    /^\S+: .*(?:Segmentation fault|Illegal instruction|Bus error|Aborted|Floating point exception)(?: \(core dumped\))?(?: |$)/,
  ),

  sign(
    'failed_step',
    'step',
    /^g?make(?:\[\d+\])?: \*{3} |^dh_\w+: error: |^dpkg-[a-z]+: error: |^ninja: build stopped|^E: (?!pybuild)/,
  ),
  labelled(
    'command_failed',
    'hint',
    /^[\w.+-]+: (?:[Cc]annot|[Cc]an't|[Cc]ould not|[Ff]ailed|[Ee]rror|ERROR|[Ff]atal|[Uu]nable|[Mm]issing|[Ii]nvalid|[Uu]nrecognized|[Uu]nknown)\b/,
    ECHO,
  ),
  labelled(
    'command_failed',
    'hint',
    /^[^\s:]+: .*: (?:No such file or directory|Permission denied|Is a directory|Not a directory|File exists|Directory not empty|Invalid argument)$/,
  ),
  labelled(
    'command_failed',
    'hint',
    /^\S+: (?:line )?\d+: (?:\S+: )?(?:[Ss]yntax error|parameter not set|unbound variable|[Bb]ad substitution|cannot (?:open|create) )|^\S+\.pot?:\d+(?::\d+)?: |^(?:\w+\.)*\w*(?:Error|Exception): /,
  ),
  sign('command_failed', 'hint', /^(?:error|Error|ERROR|fatal|Fatal|FATAL): /, ECHO),
  sign('command_failed', 'hint', /^! \w/),
  sign('command_failed', 'hint', PERL_DIED),
];

/** A line of rustc, below its `error: …`, that says where. */
const RUSTC_PLACE = /^\s+--> \S+:\d+:\d+$/;
/** A step starts, so that the one before it went well: of debhelper, of dpkg-buildpackage, of sbuild. */
const STEP =
  /^(?: {3}(?:dh_\w+|debian\/rules \w+)|dh_\w+(?: |$)| (?:fakeroot )?(?:debian\/rules |dpkg-(?:source|buildpackage|genbuildinfo|genchanges) )|(?:Unpack source|Check disk space|User Environment|dpkg-buildpackage)$)/;
/** sbuild unpacks its chroot: what is damaged then is no source. */
const CHROOT = /^Unpacking \S+ to \S+\.\.\.$/;
/** A step that runs tests. */
const TESTS = /^\s*(?:dh_auto_test\b|debian\/rules \w*dh_auto_test\b|g?make\b.* (?:check|test)\b)/;
/** make goes on where a command failed. */
const IGNORED = /^g?make(?:\[\d+\])?: \[.*\] Error \d+ \(ignored\)$/;
/** make gives up, maybe while other commands of it still run. */
const GIVES_UP = /^g?make(?:\[\d+\])?: \*{3} /;
/** debhelper prints the log of a configure script that has failed, with all that was tried in vain. */
const CONFIGURE_LOG = /^\t.*\btail -v -n \\?\+0 /;
/** The build has failed; what follows is sbuild's cleaning up. */
const OVER =
  /^(?:dpkg-buildpackage: error: |Build finished at |E: (?:Build failure|FAILED \[|Package installation failed))/;
/** A heading of sbuild, between two lines of dashes. */
const HEADING = /^\| (.*\S) +\|$/;
const DASHES = /^\+[-=]{78}\+$/;
/** The headings of what sbuild does after a failure. */
const AFTERWARDS = ['Post Build', 'Cleanup', 'Summary'];
/** sbuild says that it was not to be. */
const FAILED =
  /^(?:Status: (?:attempted|failed|given-back|skipped)|Fail-Stage: |E: |There is no chroot)/;
const SUCCEEDED = /^Status: successful$/;

/** Any line that something above goes by; every other line is only counted, and kept for an excerpt. */
function isNotable(line: string): boolean {
  if (DULL.test(line)) return false;
  const wordEnd = line.indexOf(' ');
  const isLabelled = line[(wordEnd < 0 ? line.length : wordEnd) - 1] === ':';
  if (isLabelled ? NOTABLE_LABELLED.test(line) : NOTABLE_UNLABELLED.test(line)) return true;
  return line.endsWith('.') && line.includes(' line ') && PERL_DIED.test(line);
}

const NOTABLE_LABELLED = startOf(SIGNS);
// A log has few lines with a label, and what is asked of them takes long.
const NOTABLE_UNLABELLED = startOf(SIGNS.filter((one) => !one.isLabelled));
/** What most lines of most logs are; asked first, since that is quick. */
const DULL =
  /^(?:checking |PASS: |libtool: (?:compile|link): |g?make(?:\[\d+\])?: (?:Entering|Leaving) |(?!dh_|dpkg-)[^\s:]+(?::\d+)*: (?:warning|note): )/;

function startOf(signs: readonly Sign[]): RegExp {
  const patterns = [
    ...signs.map(({ pattern }) => pattern).filter((pattern) => pattern !== PERL_DIED),
    RUSTC_PLACE,
    STEP,
    IGNORED,
    CONFIGURE_LOG,
    OVER,
    HEADING,
    CHROOT,
    TESTS,
    FAILED,
    SUCCEEDED,
  ];
  // Each is anchored; V8 sees it only where the whole is.
  return new RegExp(`^(?:${patterns.map(({ source }) => source).join('|')})`);
}

/** Escape sequences of a terminal (ECMA-48), also of a log whose control characters were made visible. */
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /[\u001b\u241b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u2407\u001b\u241b]*[\u0007\u2407]?|[ -/]*[0-~])/g;
const RETURNS = /[\r\u240d]/;
// oxlint-disable-next-line no-control-regex
const MOVES = /[\r\u240d\u001b\u241b]/;

type Candidate = {
  rule: RootCauseRule;
  weight: Weight;
  line: number;
  lines: string[];
  own: number;
};

/** Takes a build log line by line, and knows at its end what made the build fail. */
export type RootCauseFinder = {
  /** Takes the next line, without its end; of a long one the start will do. */
  take(line: string): void;
  /** The root cause, where the log tells of a failure and of a cause. */
  found(): CauseInLog | undefined;
};

/**
 * The first cause of a failed build is the one that counts: of all that looks like a cause, the first in the step that
 * failed. What was printed in steps that went well, and what only repeats that something below failed, is no cause.
 *
 * It holds some lines and no more, however long the log is.
 */
export function createRootCauseFinder(): RootCauseFinder {
  const before: string[] = [];
  let line = 0;
  let previous = '';
  let best: Candidate | undefined;
  let hint: Candidate | undefined;
  let step: Candidate | undefined;
  let runsTests = false;
  let unpacksChroot = false;
  let hasGivenUp = false;
  let isOver = false;
  let hasFailed = false;
  let hasSucceeded = false;
  let isConfigureLog = false;
  let open: Candidate[] = [];

  const startStep = () => {
    best = undefined;
    hint = undefined;
    step = undefined;
    open = [];
    hasGivenUp = false;
    isConfigureLog = false;
    unpacksChroot = false;
  };

  /** What sbuild says from here on is in no excerpt. */
  const end = () => {
    isOver = true;
    open = [];
  };

  const candidate = (rule: RootCauseRule, weight: Weight, linesBack: number): Candidate => {
    const made = {
      rule,
      weight,
      line: line - linesBack,
      lines: [...before],
      own: before.length - 1 - linesBack,
    };
    open.push(made);
    return made;
  };

  const judge = (text: string) => {
    if (RUSTC_PLACE.test(text) && previous.startsWith('error: ')) {
      consider('compiler_error', 'cause', 1);
      return;
    }
    const found = SIGNS.find(({ pattern, except }) => pattern.test(text) && !except?.test(text));
    if (!found) return;
    const isOfChroot = unpacksChroot && found.rule === 'source_damaged';
    consider(isOfChroot ? 'chroot_setup' : found.rule, found.weight, 0);
  };

  const consider = (rule: RootCauseRule, weight: Weight, linesBack: number) => {
    if (isOver && weight !== 'end') return;
    if (isConfigureLog && weight !== 'step') return;
    if (weight === 'step') {
      step ??= candidate(runsTests ? 'failing_test' : rule, weight, linesBack);
    } else if (weight === 'hint') {
      if (!hasGivenUp) hint = candidate(rule, weight, linesBack);
    } else {
      const here = weight === 'test' && !runsTests ? 'cause' : weight;
      if (!best || WEIGHTS[here] > WEIGHTS[best.weight]) best = candidate(rule, here, linesBack);
    }
  };

  return {
    take(raw) {
      line += 1;
      const text = asSeen(raw);
      before.push(text);
      if (before.length > LINES_BEFORE + 1) before.shift();
      if (open.length > 0) {
        for (const one of open) one.lines.push(text);
        open = open.filter((one) => one.lines.length < EXCERPT_LINES && isKept(one));
      }
      if (isNotable(text)) {
        const heading = DASHES.test(previous) ? HEADING.exec(text)?.[1] : undefined;
        if (heading !== undefined && AFTERWARDS.includes(heading)) {
          end();
        } else if (!isOver && (heading !== undefined || STEP.test(text))) {
          startStep();
          runsTests = TESTS.test(text);
        } else {
          if (TESTS.test(text)) runsTests = true;
          if (CHROOT.test(text)) unpacksChroot = true;
          if (CONFIGURE_LOG.test(text)) isConfigureLog = true;
          judge(text);
          if (OVER.test(text)) end();
          if (GIVES_UP.test(text) && !isOver) hasGivenUp = true;
          if (IGNORED.test(text) && !hasGivenUp) startStep();
          if (FAILED.test(text)) hasFailed = true;
          if (SUCCEEDED.test(text)) hasSucceeded = true;
        }
      }
      previous = text;
    },

    found() {
      const shown = best ?? hint ?? step;
      const isFailure = hasFailed || isOver || hasGivenUp || best?.weight === 'end';
      if (!shown || hasSucceeded || !isFailure) return undefined;
      return { rule: shown.rule, line: shown.line, ...excerptOf(shown) };
    },
  };

  function isKept(one: Candidate): boolean {
    return one === best || one === hint || one === step;
  }
}

/** The lines of a candidate that fit, its own one always among them, and where they begin. */
function excerptOf({ lines, own, line }: Candidate): Pick<CauseInLog, 'excerpt' | 'excerptLine'> {
  const shown = lines.map(plain);
  let from = own;
  let to = own + 1;
  let room = EXCERPT_CHARACTERS - (shown[own]?.length ?? 0);
  while (from > 0 && room > (shown[from - 1] ?? '').length)
    room -= (shown[--from] ?? '').length + 1;
  while (to < shown.length && room > (shown[to] ?? '').length)
    room -= (shown[to++] ?? '').length + 1;
  while (from < own && shown[from] === '') from += 1;
  return {
    excerpt: shown.slice(from, to).join('\n').replace(/\n+$/, ''),
    excerptLine: line - own + from,
  };
}

/** What a person sees of a line on a terminal: not what was overwritten, and no escape sequences. */
function asSeen(line: string): string {
  if (!MOVES.test(line)) return line;
  const last = line.split(RETURNS).findLast((part) => part.trim() !== '') ?? '';
  return last.replace(ESCAPES, '');
}

/** A line as an excerpt has it: without control characters, and not too long. */
function plain(line: string): string {
  const text = printable(line.replaceAll('\t', '    '));
  return text.length > LINE_CHARACTERS ? `${text.slice(0, LINE_CHARACTERS - 1)}…` : text;
}
