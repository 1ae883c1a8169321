import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXCERPT_CHARACTERS, EXCERPT_LINES } from '../../diagnosis/excerpt.ts';
import { RootCauseFinder, type CauseInLog } from '../../diagnosis/finder.ts';
import { ROOT_CAUSE_RULES } from '../../diagnosis/rules.ts';

const LOGS = join('test', 'diagnosis', 'build-logs');

type Expected = { rule: string; line: number; excerpt: string[] } | null;
const expected = JSON.parse(readFileSync(join(LOGS, 'expected.json'), 'utf8')) as Record<
  string,
  Expected
>;

function causeIn(log: string, finder = new RootCauseFinder()): CauseInLog | undefined {
  for (const line of log.split('\n')) finder.take(line);
  return finder.found();
}

/** The part of a log that dpkg-buildpackage makes; its step `dh_auto_build` prints some lines, and fails. */
function failingIn(step: string, ...lines: string[]): CauseInLog | undefined {
  return causeIn(
    [
      ' debian/rules binary',
      '   dh_auto_configure',
      `   ${step}`,
      ...lines,
      `${step}: error: make -j2 returned exit code 2`,
      'make: *** [debian/rules:3: binary] Error 25',
      'dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2',
      'Status: attempted',
    ].join('\n'),
  );
}
const failing = (...lines: string[]) => failingIn('dh_auto_build', ...lines);
const says = (cause: CauseInLog | undefined, step = 'dh_auto_build') => {
  // In these logs, two lines come before the one of the step.
  const line = cause?.excerpt.split('\n')[cause.line === 3 ? 2 : Math.min(4, cause.line - 1)];
  return `${cause?.rule}: ${line ?? step}`;
};

describe('a line of apt that an error has torn', () => {
  it.each(['', 'E', 'E: '])('is found behind %j', (begun) => {
    const line = `${begun} dummy : Depends: nowhere but it is not installable`;
    const log = [
      'The following packages have unmet dependencies:',
      line,
      ': Unable to correct problems',
    ];
    expect(causeIn(`${log.join('\n')}\nFail-Stage: install-deps\n`)).toMatchObject({
      rule: 'unmet_dependency',
      line: 2,
    });
  });
});

describe('a dependency that apt misses', () => {
  it.each([
    'but it is not installable',
    'but it is not going to be installed',
    'but it is a virtual package',
    'but 2.1 is installed',
    'but 2.1 is to be installed',
  ])('is named: %s', (but) => {
    const line = ` sbuild-build-depends-main-dummy : Depends: libfoo-dev (>= 3) ${but}`;
    const log = `${line}\nE: Unable to correct problems, you have held broken packages.\n`;
    expect(causeIn(`${log}Fail-Stage: install-deps\n`)).toMatchObject({
      rule: 'unmet_dependency',
      line: 1,
    });
  });
});

describe('a package that dpkg cannot unpack', () => {
  const PACKAGE =
    'dpkg: error processing archive /tmp/apt-dpkg-install-HNCFku/315-libxpresent1_1.0.0-2+b10_arm64.deb (--unpack):';
  const COPY =
    " cannot copy extracted data for './usr/share/doc/libxpresent1/changelog.Debian.arm64.gz' to '/usr/share/doc/libxpresent1/changelog.Debian.arm64.gz.dpkg-new':";
  const END = [
    'E: Sub-process /usr/bin/dpkg returned an error code (1)',
    'Fail-Stage: install-deps',
  ];

  it('tells of a full disk', () => {
    const full = `${COPY} failed to write (No space left on device)`;
    expect(causeIn([PACKAGE, full, ...END].join('\n'))).toMatchObject({
      rule: 'disk_full',
      line: 2,
    });
  });

  it('tells of a dependency where it is damaged', () => {
    const damaged = `${COPY} unexpected end of file or stream`;
    expect(causeIn([PACKAGE, damaged, ...END].join('\n'))).toMatchObject({
      rule: 'unmet_dependency',
      line: 1,
    });
  });
});

describe('what apt 3 says of dependencies', () => {
  /** apt of Ubuntu 26.04. Most of these packages are in the archive: it installs none where it misses one. */
  const UNMET = [
    'The following packages have unmet dependencies:',
    ' openroad : Depends: libgomp1 (>= 6) but it is not going to be installed',
    '            Depends: libpython3.10 (>= 3.10.0) but it is not installable',
    '            Depends: libqt5charts5 (>= 5.7.1) but it is not going to be installed',
    '            Depends: libqt5core5a (>= 5.15.1)',
    '            Depends: libqt5gui5 (>= 5.14.1) or',
    '                     libqt5gui5-gles (>= 5.14.1) but it is not going to be installed',
    '            Depends: libqt5widgets5 (>= 5.11.0~rc1)',
    '            Depends: libtcl8.6 (>= 8.6.0) but it is not going to be installed',
    '            Depends: tcl-tclreadline (>= 2.3.8) but it is not going to be installed',
  ];
  const CONFLICT = 'E: Unable to satisfy dependencies. Reached two conflicting assignments:';
  const REASONS = [
    '   1. openroad:amd64=2.0-17598-ga008522d8 is selected for install',
    '   2. openroad:amd64 Depends libpython3.10 (>= 3.10.0)',
    '      but none of the choices are installable:',
    '      [no choices]',
  ];
  const saysOf = (unmet: readonly string[]) =>
    causeIn([...unmet, CONFLICT, ...REASONS, 'Fail-Stage: install-deps'].join('\n'));

  it('names the one that is missing, not one that is there', () => {
    expect(saysOf(UNMET)).toMatchObject({ rule: 'unmet_dependency', line: 3 });
  });

  it.each([
    ['only one is left out', UNMET.slice(0, 2)],
    [
      'each of two alternatives is missing',
      [
        ' dummy : Depends: libfoo-dev but it is not installable or',
        '                  libbar-dev but it is not installable',
      ],
    ],
  ])("shows apt's own reasons where %s", (_, unmet) => {
    const found = saysOf(unmet);
    expect(found).toMatchObject({ rule: 'unmet_dependency', line: unmet.length + 1 });
    expect(found?.excerpt).toContain([CONFLICT, ...REASONS].join('\n'));
  });
});

describe('the root cause in real logs of sbuild', () => {
  const names = readdirSync(LOGS)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.slice(0, -'.txt'.length));

  it('is known for each of at least thirty', () => {
    expect(Object.keys(expected).toSorted()).toEqual(names.toSorted());
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it.each(Object.entries(expected))('%s', (name, wanted) => {
    const log = readFileSync(join(LOGS, `${name}.txt`), 'utf8');
    const found = causeIn(log);
    expect(
      found && { rule: found.rule, line: found.line, excerpt: found.excerpt.split('\n') },
    ).toEqual(wanted ?? undefined);
    // Lines are left out only to save time.
    expect(causeIn(log, new RootCauseFinder(() => true))).toEqual(found);
    if (!found) return;
    // Excerpts leave out what a terminal would not show, so that only lines of plain text are compared.
    const lines = log.split('\n').slice(found.excerptLine - 1);
    for (const [at, text] of found.excerpt.split('\n').entries())
      if (/^[ -~]{1,200}$/.test(lines[at] ?? '')) expect(text).toBe(lines[at]);
    expect(found.line).toBeGreaterThanOrEqual(found.excerptLine);
  });
});

describe('the rules', () => {
  it.each(Object.entries(ROOT_CAUSE_RULES))('%s goes by its example', (rule, { example }) => {
    const found = causeIn(`${example}\nE: Build failure (dpkg-buildpackage died)\n`);
    expect(found).toMatchObject({ rule, line: 1 });
    expect(found?.excerpt.split('\n')[0]).toBe(example);
  });

  it('take the first of several causes, and no echo of it', () => {
    expect(
      says(
        failing(
          'a.c:3:3: error: expected expression',
          'make[1]: *** [Makefile:2: a.o] Error 1',
          'b.c:3:3: error: that came later',
        ),
      ),
    ).toBe('compiler_error: a.c:3:3: error: expected expression');
  });

  it('take what a command says before the Python that only repeats that it failed', () => {
    const missing = '/bin/sh: 1: protoc: not found';
    const traceback = [
      'Traceback (most recent call last):',
      '  File "setup.py", line 12, in <module>',
      "    subprocess.check_call('protoc --python_out=. foo.proto', shell=True)",
      '  File "/usr/lib/python3.12/subprocess.py", line 413, in check_call',
      '    raise CalledProcessError(retcode, cmd)',
      "subprocess.CalledProcessError: Command 'protoc --python_out=. foo.proto' returned non-zero exit status 127.",
    ];
    expect(says(failing(missing, ...traceback))).toBe(`missing_program: ${missing}`);
    expect(failing(...traceback)).toMatchObject({ rule: 'failed_step' });
  });

  it('take why the tests of a gem failed before the gem2deb that only repeats it', () => {
    const name = 'NameError: uninitialized constant Foo';
    const end = 'ERROR: Test "ruby3.2" failed. Exiting.';
    const found = failingIn('dh_auto_install', 'rake aborted!', name, 'Tasks: TOP => default', end);
    expect(says(found, 'dh_auto_install')).toBe(`command_failed: ${name}`);
    const silent = failingIn('dh_auto_install', 'Tasks: TOP => default', end);
    expect(says(silent, 'dh_auto_install')).toBe(`failing_test: ${end}`);
  });

  it.each([
    ['test bad - should panic ... FAILED', 'error: test failed, to rerun pass `--lib`'],
    ['test src/lib.rs - sum (line 3) ... FAILED', 'error: doctest failed, to rerun pass `--doc`'],
    ['Segmentation fault (core dumped)', 'error: test failed, to rerun pass `--lib`'],
  ])('take the test of Rust that failed before the cargo that only repeats it: %s', (test, end) => {
    const totals = 'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out';
    const rerun = [end, 'error: 1 target failed:', '    `--lib`'];
    expect(failingIn('dh_auto_test', test, totals, ...rerun)).toMatchObject({ line: 4 });
    expect(failingIn('dh_auto_test', totals, ...rerun)).toMatchObject({
      rule: 'failing_test',
      line: 5,
    });
  });

  it('forget what went wrong in a step that went well', () => {
    const cause = causeIn(
      [
        '   dh_auto_test',
        'FAIL: sums',
        'make[1]: *** [Makefile:2: check] Error 1',
        '   dh_install',
        'dh_install: warning: Cannot find (any matches for) "usr/bin/foo" (tried in ., debian/tmp)',
        'dh_install: error: missing files, aborting',
        'make: *** [debian/rules:3: binary] Error 25',
      ].join('\n'),
    );
    expect(cause).toMatchObject({ rule: 'debhelper_step', line: 5 });
  });

  it('forget what make was told to ignore', () => {
    expect(
      says(
        failing(
          'rm: cannot remove errors.txt: No such file or directory',
          'make[1]: [Makefile:2: clean] Error 1 (ignored)',
          'make[1]: *** [Makefile:9: all] Error 3',
        ),
      ),
    ).toMatch(/^failed_step: make\[1\]: \*{3} \[Makefile:9: all\] Error 3$/);
  });

  it('forget what make was told to ignore of a make below it', () => {
    expect(
      says(
        failing(
          'FAIL: test-net',
          'make[3]: *** [Makefile:3: check-local] Error 1',
          'make[2]: *** [Makefile:3: check] Error 2',
          'make[1]: [debian/rules:9: override_dh_auto_test] Error 2 (ignored)',
          "cp: cannot stat 'report.xml': No such file or directory",
          'make[1]: *** [debian/rules:10: override_dh_auto_test] Error 1',
        ),
      ),
    ).toBe("command_failed: cp: cannot stat 'report.xml': No such file or directory");
  });

  it.each(['make[1]', 'make[2]'])(
    'keep why make gave up while %s ignores what another command says',
    (other) => {
      expect(
        says(
          failing(
            'a.c:3:3: error: expected expression',
            'make[2]: *** [Makefile:2: a.o] Error 1',
            'make[1]: *** [Makefile:7: all-recursive] Error 2',
            `${other}: [Makefile:9: docs] Error 1 (ignored)`,
          ),
        ),
      ).toBe('compiler_error: a.c:3:3: error: expected expression');
    },
  );

  it('pass over a make that failed behind `|| true`, where a later command ends the step', () => {
    const copy = "cp: cannot stat 'doc/index.html': No such file or directory";
    const found = failing(
      'make[2]: *** [Makefile:3: man] Error 1',
      "make[2]: Leaving directory '/build/docs'",
      'install -m644 COPYING debian/foo/usr/share/doc/foo',
      copy,
      'make[1]: *** [debian/rules:10: override_dh_auto_build] Error 1',
    );
    expect(says(found)).toBe(`command_failed: ${copy}`);
  });

  it.each([
    ['missing_program', 127, '/bin/sh: 1: git: not found'],
    ['command_failed', 128, 'fatal: not a git repository (or any of the parent directories): .git'],
  ])('pass over it for %s, where git ends the step with %i', (rule, exit, complaint) => {
    const tolerated = 'make[2]: *** [Makefile:3: man] Error 1';
    const end = `make[1]: *** [debian/rules:10: override_dh_auto_build] Error ${exit}`;
    expect(says(failing(tolerated, complaint, end))).toBe(`${rule}: ${complaint}`);
    expect(failing(tolerated, complaint, 'ok', end)).toMatchObject({ rule: 'failed_step' });
  });

  it.each([
    { above: 100, rule: 'command_failed', line: 4 },
    { above: 101, rule: 'failed_step', line: 105 },
  ])('take what is said $above lines above the failure for $rule', ({ above, ...wanted }) => {
    const goesOn = Array<string>(above - 1).fill('ok');
    const end = 'make[1]: *** [Makefile:9: all] Error 3';
    expect(failing('error: no display is there', ...goesOn, end)).toMatchObject(wanted);
  });

  it.each([
    'fatal: not a git repository (or any of the parent directories): .git',
    '/bin/sh: 1: git: not found',
    'make[1]: git: No such file or directory',
    'error: XDG_RUNTIME_DIR is invalid or not set in the environment.',
    "WARNING: Cannot find module 'canvas'",
    'Warning: could not find the icons',
    'W: Failed to fetch the list of mirrors',
    'Use of uninitialized value $x in concatenation (.) or string at lib/Foo.pm line 12.',
  ])('believe what a command says before what builds go on after: %s', (complaint) => {
    const copy = "cp: cannot stat 'doc/index.html': No such file or directory";
    const end = 'make[1]: *** [Makefile:9: all] Error 3';
    expect(says(failing(copy, complaint, end))).toBe(`command_failed: ${copy}`);
    expect(failing(complaint, 'ok', end)).toMatchObject({ rule: 'failed_step', line: 6 });
  });

  it.each([
    ['missing_program', 127, 'make[1]: git: No such file or directory'],
    ['missing_program', 127, '/bin/sh: 1: git: not found'],
    ['command_failed', 128, 'fatal: not a git repository (or any of the parent directories): .git'],
  ])('say %s where make fails with %i right below: %s', (rule, exit, complaint) => {
    const end = `make[1]: *** [Makefile:3: version.h] Error ${exit}`;
    expect(says(failing(complaint, end))).toBe(`${rule}: ${complaint}`);
    expect(says(failing(complaint, complaint, end))).toBe(`${rule}: ${complaint}`);
    const later = 'make[1]: *** [Makefile:9: all] Error 3';
    expect(failing('ok', end, complaint, later)).toMatchObject({ rule: 'failed_step', line: 5 });
  });

  it('keep why make gave up where another command of it only warns', () => {
    const copy = "cp: cannot stat 'doc/index.html': No such file or directory";
    const found = failing(
      copy,
      'make[2]: *** [Makefile:3: install-doc] Error 1',
      'make[2]: *** Waiting for unfinished jobs....',
      'Warning: could not find the icons',
      'make[1]: *** [Makefile:7: install-recursive] Error 2',
    );
    expect(says(found)).toBe(`command_failed: ${copy}`);
  });

  it('keep why make gave up while its other commands end', () => {
    const copy = "cp: cannot stat 'doc/index.html': No such file or directory";
    const found = failing(
      copy,
      'make[2]: *** [Makefile:3: install-doc] Error 1',
      'make[2]: *** Waiting for unfinished jobs....',
      "rm: cannot remove 'doc/old': No such file or directory",
      "make[2]: Leaving directory '/build/docs'",
      'make[1]: *** [Makefile:7: install-recursive] Error 2',
    );
    expect(says(found)).toBe(`command_failed: ${copy}`);
  });

  it.each([
    'gcc -Werror=format-security -Wno-error -c -o error.o error.c',
    'checking for error_at_line... no',
    'checking whether errors are fatal... error: none',
    'Finished: 0 errors, 0 failures',
    'no error: all is well',
    'XFAIL: known',
    'not ok 2 - later # TODO not yet',
    '# FAIL:  0',
    'prog.c:2:9: note: no error: all is well',
    "prog.c:2:9: warning: unused variable 'error' [-Wunused-variable]",
    'install error.h debian/tmp/usr/include',
    "  process didn't exit successfully: `/build/target/debug/deps/sums-1f2e` (signal: 9, SIGKILL: kill)",
    'sums: /bin/sleep: signal: killed',
  ])('are not fooled by: %s', (line) => {
    expect(failing(line, 'make[1]: *** [Makefile:9: all] Error 3')).toMatchObject({
      rule: 'failed_step',
    });
  });

  it('believe what ended the step before what sphinx goes on after', () => {
    const sphinx = '/x/docs/a.rst:12: ERROR: Unknown directive type "foo".';
    const copy = "cp: cannot stat 'out/html/x.html': No such file or directory";
    const end = 'make[1]: *** [debian/rules:9: override_dh_sphinxdoc] Error 1';
    expect(says(failing(sphinx, 'build finished with problems, 1 warning.', copy, end))).toBe(
      `command_failed: ${copy}`,
    );
    // As where sphinx is told to take a warning for an error.
    expect(says(failing(sphinx, 'build finished with problems, 1 warning.', end))).toBe(
      `compiler_error: ${sphinx}`,
    );
  });

  it('see what configure says on the line of what it checks', () => {
    const line =
      'checking for XML::Parser... configure: error: XML::Parser perl module is required for intltool';
    const steps = ['\ttail -v -n +0 config.log', '==> config.log <==', 'conftest.c:1:1: error: no'];
    const found = failingIn('dh_auto_configure', line, ...steps);
    expect(says(found, 'dh_auto_configure')).toBe(`missing_dependency: ${line}`);
    expect(
      failing(
        'checking for C compiler default output... configure: error: C compiler cannot create executables',
      ),
    ).toMatchObject({ rule: 'configure_error', line: 4 });
  });

  const PKG_CONFIG =
    'configure: error: The pkg-config script could not be found or is too old.  Make sure it';
  it.each([
    ['missing_dependency', "configure: error: in `/<<PKGBUILDDIR>>':", PKG_CONFIG],
    ['missing_dependency', "configure: error: in '/<<PKGBUILDDIR>>':", PKG_CONFIG],
    ['missing_dependency', "checking for ZLIB... configure: error: in `/build':", PKG_CONFIG],
    ['missing_dependency', "configure: error: in `/build/missing':", PKG_CONFIG],
    [
      'configure_error',
      "configure: error: in `/<<PKGBUILDDIR>>':",
      'configure: error: no acceptable C compiler found in $PATH',
    ],
  ])('find %s below the folder that configure names first: %s', (rule, folder, reason) => {
    const more = "See `config.log' for more details";
    expect(failingIn('dh_auto_configure', folder, reason, more)).toMatchObject({ rule, line: 5 });
  });

  it('see that configure refuses where its reason is on the next lines', () => {
    const lines = [
      'configure: error:',
      '',
      '        Unable to find the Multi Emulator Super System (MESS).',
    ];
    const found = failingIn('dh_auto_configure', ...lines);
    expect(found).toMatchObject({ rule: 'configure_error', line: 4 });
    expect(found?.excerpt).toContain(lines.join('\n'));
  });

  it.each([
    ['src/Foo.hs:3:1: error:', '    Could not find module ‘Data.Text’'],
    ['src/Foo.hs:3:1: error: [GHC-87110]', '    Could not find module ‘Data.Text’.'],
    ['src/Foo.hs:3:1: error:', "    Could not find module `Data.Text'"],
  ])('know a missing module of Haskell by the line below %s', (place, module) => {
    const found = failing(place, module, '    Use -v to see a list of the files searched for.');
    expect(found).toMatchObject({ rule: 'missing_module', line: 4 });
    expect(found?.excerpt.split('\n').slice(3, 5)).toEqual([place, module]);
    const first = 'src/Bar.hs:9:1: error: parse error on input ‘where’';
    expect(says(failing(first, place, module))).toBe(`compiler_error: ${first}`);
    expect(says(failing(place, '    Variable not in scope: x', module))).toBe(
      `compiler_error: ${place}`,
    );
  });

  it('tell of no network where CMake cannot clone what it wants', () => {
    const clone = "  Failed to clone repository: 'https://git.invalid/greeting.git'";
    const access =
      "fatal: unable to access 'https://git.invalid/greeting.git/': Could not resolve host: git.invalid";
    const found = failingIn(
      'dh_auto_configure',
      "Cloning into 'greeting-src'...",
      access,
      '-- Had to git clone more than once: 3 times.',
      'CMake Error at greeting-subbuild/greeting-populate-prefix/tmp/greeting-populate-gitclone.cmake:39 (message):',
      clone,
      '',
      '',
      'gmake: *** [Makefile:91: all] Error 2',
      '',
      'CMake Error at /usr/share/cmake-3.25/Modules/FetchContent.cmake:1616 (message):',
      '  Build step for greeting failed: 2',
    );
    expect(says(found)).toBe(`unreachable: ${clone}`);
    // As where a package tries it, and goes on.
    expect(failing(access, 'a.c:3:3: error: expected expression')).toMatchObject({
      rule: 'compiler_error',
    });
  });

  it('tell of no network where CMake cannot download what it wants', () => {
    const download = "    error: downloading 'https://git.invalid/greeting.tgz' failed";
    const found = failingIn(
      'dh_auto_configure',
      'CMake Error at greeting-subbuild/greeting-populate-prefix/src/greeting-populate-stamp/download-greeting-populate.cmake:170 (message):',
      '  Each download failed!',
      '',
      download,
      '          status_code: 6',
      '          status_string: "Couldn\'t resolve host name"',
      'CMake Error at /usr/share/cmake-3.25/Modules/FetchContent.cmake:1616 (message):',
      '  Build step for greeting failed: 2',
    );
    expect(says(found)).toBe(`unreachable: ${download}`);
  });

  it('tell no lack of network where CMake cloned what it wants, and misses a tag of it', () => {
    const place =
      'CMake Error at scapix-bin-subbuild/scapix-bin-populate-prefix/tmp/scapix-bin-populate-gitclone.cmake:40 (message):';
    const found = failingIn(
      'dh_auto_configure',
      place,
      "  Failed to checkout tag: '7'",
      'CMake Error at /usr/share/cmake-3.25/Modules/FetchContent.cmake:1616 (message):',
      '  Build step for scapix-bin failed: 2',
    );
    expect(found).toMatchObject({ rule: 'configure_error', line: 4 });
  });

  it('tell of no network where cargo cannot ask its registry', () => {
    const resolve = '  [6] Could not resolve hostname (Could not resolve host: index.crates.io)';
    const found = failing(
      '    Updating crates.io index',
      'error: failed to get `anyhow` as a dependency of package `sums v0.1.0 (/build)`',
      '',
      'Caused by:',
      '  download of config.json failed',
      '',
      'Caused by:',
      '  failed to download from `https://index.crates.io/config.json`',
      '',
      'Caused by:',
      resolve,
    );
    expect(says(found)).toBe(`unreachable: ${resolve}`);
  });

  it('tell of a missing test runner, where no test has run', () => {
    const pytest = '/usr/bin/python3.12: No module named pytest';
    const runs = 'cd /build/.pybuild/cpython3_3.12/build; python3.12 -m pytest tests';
    const pybuild = [
      `I: pybuild base:311: ${runs}`,
      pytest,
      `E: pybuild pybuild:389: test: plugin pyproject failed with: exit code=1: ${runs}`,
    ];
    expect(says(failingIn('dh_auto_test', ...pybuild))).toBe(`missing_module: ${pytest}`);
    // As where a makefile asks whether pytest is there, and then runs what it has.
    expect(failingIn('dh_auto_test', pytest, 'FAIL: sums')).toMatchObject({
      rule: 'failing_test',
      line: 5,
    });
  });

  it('show the package that an ES module of Node misses, with its stack below it', () => {
    const missing =
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vite' imported from /build/vite.config.js";
    const found = failing(
      'node:internal/modules/esm/resolve:873',
      '  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);',
      '        ^',
      '',
      missing,
      '    at packageResolve (node:internal/modules/esm/resolve:873:9)',
      '    at moduleResolve (node:internal/modules/esm/resolve:946:18)',
      '    at defaultResolve (node:internal/modules/esm/resolve:1188:11)',
      '    at ModuleLoader.defaultResolve (node:internal/modules/esm/loader:708:12)',
      '    at #cachedDefaultResolve (node:internal/modules/esm/loader:657:25)',
      '    at ModuleLoader.resolve (node:internal/modules/esm/loader:640:38)',
      '    at ModuleLoader.getModuleJobForImport (node:internal/modules/esm/loader:264:38)',
      '    at ModuleJob._link (node:internal/modules/esm/module_job:168:49) {',
      "  code: 'ERR_MODULE_NOT_FOUND'",
      '}',
      '',
      'Node.js v20.20.2',
      'make[1]: *** [debian/rules:9: override_dh_auto_build] Error 1',
    );
    expect(says(found)).toBe(`missing_module: ${missing}`);
  });

  it('believe what Maven says of the source before the goal that failed by it', () => {
    const source = '[ERROR] /build/src/Foo.java:[12,5] cannot find symbol';
    const goal = '[ERROR] Failed to execute goal compile on project foo: Compilation failure';
    expect(says(failing(source, goal, source))).toBe(`compiler_error: ${source}`);
    const test = '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0';
    const summary = '[ERROR] Failed to execute goal test on project foo: There are test failures.';
    expect(failingIn('dh_auto_test', test, summary)).toMatchObject({ rule: 'failing_test' });
  });

  it('believe a failing test before what its neighbours are to print', () => {
    const lines = ['good.c:1:2: error: as it should say', 'PASS: good', 'FAIL: bad'];
    expect(failingIn('dh_auto_test', ...lines)).toMatchObject({ rule: 'failing_test', line: 6 });
    expect(failingIn('dh_auto_build', ...lines)).toMatchObject({ rule: 'compiler_error' });
  });

  it('pass over a test of CTest that is disabled', () => {
    const disabled = ' 1/2 Test #1: net ...***Not Run (Disabled)   0.00 sec';
    const failed = ' 2/2 Test #2: sums ...***Failed    0.02 sec';
    expect(failingIn('dh_auto_test', disabled, failed)).toMatchObject({ line: 5 });
    const missing = ' 1/2 Test #1: net ...***Not Run   0.00 sec';
    expect(failingIn('dh_auto_test', missing, failed)).toMatchObject({ line: 4 });
  });

  it('believe the end of a build before all that failed in it', () => {
    expect(
      failingIn('dh_auto_test', 'FAIL: bad', 'E: Build killed with signal TERM after 1 minutes'),
    ).toMatchObject({ rule: 'build_killed', line: 5 });
  });

  it('say nothing where a build went well, or where the log tells of no end', () => {
    expect(causeIn('a.c:1:1: error: expected\nStatus: successful\n')).toBeUndefined();
    expect(causeIn('a.c:1:1: error: expected\n[airline: the log is longer')).toBeUndefined();
    expect(causeIn('')).toBeUndefined();
  });

  it('see through colours and overwritten lines, raw or made visible', () => {
    const lines = [
      '\u001b[01m\u001b[Ka.c:1:2:\u001b[m\u001b[K \u001b[01;31m\u001b[Kerror: \u001b[m\u001b[Kno type',
      ' 50%\r100%\ra.c:1:2: error: no type\r',
    ];
    for (const line of [...lines, ...lines.map(visible)]) {
      const found = failing(line);
      expect(found).toMatchObject({ rule: 'compiler_error', line: 4 });
      expect(found?.excerpt.split('\n')[3]).toBe('a.c:1:2: error: no type');
    }
  });

  it('judge the beginning and the end of a long line, and show both', () => {
    const lengths: number[] = [];
    const finder = new RootCauseFinder((line) => {
      lengths.push(line.length);
      return true;
    });
    // The time that some rules take grows with the square of such a line.
    const long = ` a : Depends: ${'but '.repeat(1_000)} it is not installable`;
    for (const line of [long, 'E: Build failure']) finder.take(line);
    expect(Math.max(...lengths)).toBeLessThan(1_024);
    expect(finder.found()).toMatchObject({ rule: 'unmet_dependency', line: 1 });
    expect(finder.found()?.excerpt).toMatch(
      /^ a : Depends: but .*….*but {2}it is not installable$/m,
    );
  });

  it('show of a long line all that they go by', () => {
    const symbol = `_ZN5boost15${'program_options'.repeat(20)}`;
    const line = `boost/value.hpp:12:(.text.${symbol}[${symbol}]+0x3c): undefined reference to \`validate'`;
    expect(says(failing(line))).toBe(`undefined_reference: ${line}`);
  });

  it('keep an excerpt small and harmless, with the line that counts', () => {
    const long = 'x'.repeat(5_000);
    const found = failing(
      ...Array<string>(10).fill(long),
      `a.c:1:1: error: \u202eevil \u0007${long}`,
      ...Array<string>(20).fill(long),
    );
    const lines = found?.excerpt.split('\n') ?? [];
    expect(lines.length).toBeLessThanOrEqual(EXCERPT_LINES);
    expect(found?.excerpt.length).toBeLessThanOrEqual(EXCERPT_CHARACTERS);
    expect(lines.find((line) => line.includes('a.c:1:1'))).toMatch(
      /^a\.c:1:1: error: <U\+202E>evil ␇x+…x+$/,
    );
    expect(found?.line).toBe(14);
  });
});

function visible(text: string): string {
  return text.replaceAll('\u001b', '␛').replaceAll('\r', '␍');
}
