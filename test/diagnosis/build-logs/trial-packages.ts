import { truncate, writeFile } from 'node:fs/promises';

/** A source package that is broken in one way, or that only looks broken. */
export type TrialPackage = {
  /** Name of the source, of its one binary package and of the log. */
  name: string;
  /** Default: `debhelper-compat (= 13)` alone. */
  buildDepends?: string[];
  /** More lines of the source's stanza in `debian/control`. */
  sourceFields?: string[];
  /** The binary package's fields, in place of the usual ones. */
  binaryFields?: string[];
  /** Upstream's files by path; a `#!` makes one executable. */
  files?: Record<string, string>;
  /** Files by their path in `debian/`; they replace what is made else. */
  debian?: Record<string, string>;
  /** `debian/patches`, in the order of the series. */
  patches?: Record<string, string>;
  /** Lines of `debian/rules` after `%: dh $@`. */
  rules?: string[];
  /** Damages upstream's tarball before its checksum is taken. */
  damageBeforeSigning?: (original: string) => Promise<void>;
  /** Damages it afterwards. */
  damageAfterSigning?: (original: string) => Promise<void>;
  /** Minutes without output after which sbuild gives up. */
  stalledMinutes?: number;
  /** Path of another chroot. */
  chroot?: string;
  sbuildOptions?: string[];
};

const DEBHELPER = 'debhelper-compat (= 13)';
const HELLO_C = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n';
const PROGRAM = 'prog: prog.o\n\t$(CC) $(LDFLAGS) -o $@ prog.o $(LIBS)\n';
const INSTALL = 'install:\n\tinstall -D prog $(DESTDIR)/usr/bin/prog\n';

export const TRIAL_PACKAGES: readonly TrialPackage[] = [
  // Compilers and linkers
  {
    name: 'c-syntax',
    files: {
      Makefile: 'all: b.o c.o a.o\n\ttrue\n',
      'a.c': 'int main(void) {\n  int x = 1\n  return x;\n}\n',
      'b.c': 'int b;\n',
      'c.c': 'int c;\n',
    },
  },
  {
    name: 'c-warning-as-error',
    files: {
      Makefile:
        'CFLAGS += -Wall -Werror\nall: error-handler.o errors.o prog.o\n' +
        '\t@echo "error: 0 errors so far"\n',
      'error-handler.c': 'int errors;\n#pragma message "no error: all is well"\n',
      'errors.c': 'int error_count(void) { return 0; }\n',
      'prog.c': 'int main(void) {\n  int unused;\n  return 0;\n}\n',
    },
  },
  {
    name: 'cpp-template',
    files: {
      Makefile: 'prog: prog.cc\n\t$(CXX) $(CXXFLAGS) -o $@ prog.cc\n',
      'prog.cc':
        '#include <algorithm>\n#include <list>\nint main() {\n  std::list<int> l;\n  std::sort(l.begin(), l.end());\n}\n',
    },
  },
  {
    name: 'c-missing-header',
    files: {
      Makefile: `LIBS = -lz\n${PROGRAM}`,
      'prog.c':
        '#include <stdio.h>\n#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n',
    },
  },
  {
    name: 'c-missing-library',
    files: { Makefile: `LIBS = -lz -lpng\n${PROGRAM}`, 'prog.c': HELLO_C },
  },
  {
    name: 'c-undefined-reference',
    files: {
      Makefile: PROGRAM,
      'prog.c': 'int frobnicate(int);\nint main(void) { return frobnicate(1); }\n',
    },
  },
  {
    name: 'c-multiple-definition',
    files: {
      Makefile: 'prog: a.o b.o\n\t$(CC) -o $@ a.o b.o\n',
      'a.c': 'int counter = 1;\nint main(void) { return counter; }\n',
      'b.c': 'int counter = 2;\n',
    },
  },
  {
    name: 'assembler',
    files: {
      Makefile: 'all: start.o\n',
      'start.S': '.text\n.globl start\nstart:\n  movq %rax, %rbx\n  frobnicate %rax\n  ret\n',
    },
  },
  {
    name: 'java',
    buildDepends: [DEBHELPER, 'default-jdk-headless'],
    files: {
      Makefile: 'all:\n\tjavac -d out Greeter.java\n',
      'Greeter.java':
        'public class Greeter {\n  public static void main(String[] words) {\n    String error = 0;\n    System.out.println(greting);\n  }\n}\n',
    },
  },
  {
    name: 'rust',
    buildDepends: [DEBHELPER, 'rustc'],
    files: {
      Makefile: 'prog: main.rs\n\trustc -o $@ main.rs\n',
      'main.rs': 'fn main() {\n    let errors: u32 = "none";\n    println!("{}", errors);\n}\n',
    },
  },
  {
    name: 'go',
    buildDepends: [DEBHELPER, 'golang-go'],
    files: {
      Makefile: 'prog: main.go\n\tGOCACHE=$(CURDIR)/cache GO111MODULE=off go build -o $@ .\n',
      'main.go':
        'package main\n\nimport "fmt"\n\nfunc main() {\n\terrors := 0\n\tfmt.Println(missing)\n}\n',
    },
  },
  // Build dependencies
  {
    name: 'unknown-build-dependency',
    buildDepends: [DEBHELPER, 'libfrobnicate-dev (>= 2.0)', 'zlib1g-dev'],
  },
  { name: 'old-build-dependency', buildDepends: [DEBHELPER, 'zlib1g-dev (>= 2:9.9)'] },
  { name: 'build-conflict', sourceFields: ['Build-Conflicts: dpkg-dev'] },
  {
    name: 'pkg-config-autoconf',
    buildDepends: [DEBHELPER, 'pkg-config'],
    files: {
      'configure.ac':
        'AC_INIT([trial], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CHECK_HEADERS([error.h])\nAC_CHECK_FUNCS([error strerror])\nPKG_CHECK_MODULES([FROB], [frobnicate >= 2.0 zlib])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n',
      'Makefile.am': 'bin_PROGRAMS = prog\nprog_SOURCES = prog.c\n',
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'autoconf-macro',
    files: {
      'configure.ac':
        'AC_INIT([trial], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nPKG_CHECK_MODULES([ZLIB], [zlib])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n',
      'Makefile.am': 'bin_PROGRAMS = prog\nprog_SOURCES = prog.c\n',
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'cmake-package',
    buildDepends: [DEBHELPER, 'cmake'],
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.20)\nproject(trial C)\ninclude(CheckSymbolExists)\ncheck_symbol_exists(error "error.h" HAVE_ERROR)\ncheck_symbol_exists(frobnicate "frob.h" HAVE_FROB)\nfind_package(ZLIB REQUIRED)\nadd_executable(prog prog.c)\n',
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'meson-dependency',
    buildDepends: [DEBHELPER, 'meson', 'pkg-config'],
    files: {
      'meson.build':
        "project('trial', 'c')\ncc = meson.get_compiler('c')\nif cc.has_function('error')\n  message('error is there')\nendif\nglib = dependency('glib-2.0', version: '>= 2.70')\nexecutable('prog', 'prog.c', dependencies: glib)\n",
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'configure-refuses',
    files: {
      configure:
        '#!/bin/sh\necho "checking for error_at_line... no"\necho "checking whether errors are fatal... error: none"\necho "checking for a sane environment... no"\necho "configure: error: the environment is insane" >&2\nexit 1\n',
      Makefile: 'all:\n\ttrue\n',
    },
  },
  {
    name: 'python-module',
    buildDepends: [DEBHELPER, 'dh-python', 'python3-all', 'python3-setuptools'],
    files: {
      'setup.py':
        'import os\nfrom setuptools import setup\nimport frobnicate_build\nsetup(name="trial", version="1.0", py_modules=["trial"])\n',
      'trial.py': 'VALUE = 1\n',
    },
    debian: {
      rules: '#!/usr/bin/make -f\n%:\n\tdh $@ --with python3 --buildsystem=pybuild\n',
    },
  },
  {
    name: 'perl-module',
    files: {
      'Makefile.PL':
        'use strict;\nuse ExtUtils::MakeMaker;\nuse Module::Frobnicate;\nWriteMakefile(NAME => "Trial");\n',
      'lib/Trial.pm': 'package Trial;\nour $VERSION = "1.0";\n1;\n',
    },
  },
  {
    name: 'missing-program',
    files: {
      Makefile:
        'all: prog prog.1\nprog.1: prog\n\thelp2man --no-info ./prog > $@\nprog: prog.c\n\t$(CC) -o $@ prog.c\n',
      'prog.c': HELLO_C,
    },
  },
  // Tests
  {
    name: 'test-script',
    files: {
      Makefile: 'all:\n\ttrue\ncheck:\n\t./run-tests\n',
      'run-tests':
        '#!/bin/sh\necho "ok 1 - rejects: error: no such file"\necho "not ok 2 - known # TODO later"\necho "not ok 3 - adds two numbers"\necho "#   got 3, wanted 4"\necho "ok 4 - 0 errors"\nexit 1\n',
    },
  },
  {
    name: 'test-automake',
    files: {
      'configure.ac':
        'AC_INIT([trial], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n',
      'Makefile.am':
        'check_PROGRAMS = good bad known\nTESTS = good bad known\nXFAIL_TESTS = known\n',
      'good.c':
        '#include <stdio.h>\nint main(void) { puts("good.c:1:2: error: this is what it should say"); return 0; }\n',
      'bad.c': '#include <stdio.h>\nint main(void) { puts("expected 4, got 5"); return 1; }\n',
      'known.c': 'int main(void) { return 1; }\n',
    },
  },
  {
    name: 'test-pytest',
    buildDepends: [DEBHELPER, 'dh-python', 'python3-all', 'python3-setuptools', 'python3-pytest'],
    sourceFields: ['Testsuite: autopkgtest-pkg-pybuild'],
    files: {
      'setup.py':
        'from setuptools import setup\nsetup(name="trial", version="1.0", py_modules=["trial"])\n',
      'trial.py': 'def total(numbers):\n    return sum(numbers) + 1\n',
      'tests/test_trial.py':
        'import pytest\nimport trial\n\n\ndef test_error_is_raised():\n    with pytest.raises(ValueError):\n        raise ValueError("error: expected")\n\n\ndef test_total():\n    assert trial.total([1, 2]) == 3\n',
    },
    debian: {
      rules: '#!/usr/bin/make -f\n%:\n\tdh $@ --with python3 --buildsystem=pybuild\n',
    },
  },
  {
    name: 'test-unittest',
    buildDepends: [DEBHELPER, 'dh-python', 'python3-all', 'python3-setuptools'],
    files: {
      'setup.py':
        'from setuptools import setup\nsetup(name="trial", version="1.0", py_modules=["trial"])\n',
      'trial.py': 'def total(numbers):\n    return sum(numbers) + 1\n',
      'tests/__init__.py': '',
      'tests/test_trial.py':
        'import sys\nimport unittest\nimport trial\n\n\nclass TotalTest(unittest.TestCase):\n    def test_error(self):\n        print("Traceback of an error: ImportError: expected", file=sys.stderr)\n\n    def test_total(self):\n        self.assertEqual(trial.total([1, 2]), 3)\n',
    },
    debian: {
      rules: '#!/usr/bin/make -f\n%:\n\tdh $@ --with python3 --buildsystem=pybuild\n',
    },
  },
  {
    name: 'test-ctest',
    buildDepends: [DEBHELPER, 'cmake'],
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.20)\nproject(trial C)\nenable_testing()\nadd_executable(good good.c)\nadd_executable(bad bad.c)\nadd_test(good good)\nadd_test(error_paths good)\nadd_test(bad bad)\n',
      'good.c': '#include <stdio.h>\nint main(void) { puts("Failed: nothing"); return 0; }\n',
      'bad.c': '#include <stdio.h>\nint main(void) { puts("bad.c: got 5"); return 3; }\n',
    },
  },
  {
    name: 'test-meson',
    buildDepends: [DEBHELPER, 'meson'],
    files: {
      'meson.build':
        "project('trial', 'c')\ngood = executable('good', 'good.c')\nbad = executable('bad', 'bad.c')\ntest('error paths', good)\ntest('sums', bad)\n",
      'good.c': 'int main(void) { return 0; }\n',
      'bad.c': '#include <stdio.h>\nint main(void) { puts("got 5, wanted 4"); return 1; }\n',
    },
  },
  {
    name: 'test-prove',
    files: {
      'Makefile.PL':
        'use ExtUtils::MakeMaker;\nWriteMakefile(NAME => "Trial", VERSION_FROM => "lib/Trial.pm");\n',
      'lib/Trial.pm': 'package Trial;\nour $VERSION = "1.0";\nsub total { 5 }\n1;\n',
      't/error.t':
        'use Test::More tests => 2;\npass("no error: fine");\nTODO: { local $TODO = "later"; ok(0, "not yet"); }\n',
      't/total.t': 'use Test::More tests => 1;\nuse Trial;\nis(Trial::total(2, 2), 4, "adds");\n',
    },
  },
  {
    name: 'test-assertion',
    files: {
      Makefile: 'all: check-prog\ncheck: all\n\t./check-prog\n',
      'check-prog.c':
        '#include <assert.h>\n#include <stdio.h>\nint main(void) { puts("testing errors"); fflush(stdout); int sum = 2 + 2; assert(sum == 5); return 0; }\n',
    },
  },
  {
    name: 'test-segfault',
    files: {
      Makefile: 'all: check-prog\ncheck: all\n\t./check-prog\n',
      'check-prog.c': 'int main(void) { volatile int *nothing = 0; return *nothing; }\n',
    },
  },
  {
    name: 'test-does-not-compile',
    files: {
      Makefile:
        'all: prog\nprog: prog.c\n\t$(CC) -o $@ prog.c\ncheck: all\n\techo "FAILED tests so far: 0"\n\t$(CC) -o check check.c\n\t./check\n',
      'prog.c': HELLO_C,
      'check.c': 'int main(void) { return total(1, 2) == 3 ? 0 : one; }\n',
    },
  },
  // Patches and sources
  {
    name: 'patch-hunk',
    files: { 'prog.c': HELLO_C },
    patches: {
      'fix-greeting.patch':
        '--- a/prog.c\n+++ b/prog.c\n@@ -1,2 +1,2 @@\n #include <stdio.h>\n-int main(void) { puts("good morning"); return 0; }\n+int main(void) { puts("good evening"); return 0; }\n',
    },
  },
  {
    name: 'patch-file',
    files: { 'prog.c': HELLO_C },
    patches: {
      'rename.patch': '--- a/src/other.c\n+++ b/src/other.c\n@@ -1,1 +1,1 @@\n-int a;\n+int b;\n',
    },
  },
  {
    name: 'patch-malformed',
    files: { 'prog.c': HELLO_C },
    patches: {
      'malformed.patch':
        '--- a/prog.c\n+++ b/prog.c\n@@ -1,2 +1,5 @@\n #include <stdio.h>\n+int x;\n',
    },
  },
  {
    name: 'patch-quilt',
    buildDepends: [DEBHELPER, 'quilt'],
    files: { 'prog.c': HELLO_C, Makefile: PROGRAM },
    debian: {
      'extra/series': 'greeting.patch\n',
      'extra/greeting.patch':
        '--- a/prog.c\n+++ b/prog.c\n@@ -1,2 +1,2 @@\n #include <stdio.h>\n-int main(void) { puts("bye"); return 0; }\n+int main(void) { return 0; }\n',
    },
    rules: ['override_dh_auto_configure:', '\tQUILT_PATCHES=debian/extra quilt push -a'],
  },
  {
    name: 'source-checksum',
    files: { 'prog.c': HELLO_C },
    damageAfterSigning: (original) => writeFile(original, 'x', { flag: 'r+' }),
  },
  {
    name: 'source-truncated',
    files: { 'prog.c': HELLO_C },
    damageBeforeSigning: (original) => truncate(original, 120),
  },
  {
    name: 'source-not-a-tarball',
    damageBeforeSigning: (original) => writeFile(original, '<html>404 Not Found</html>\n'),
  },
  // debhelper
  {
    name: 'dh-install',
    files: { Makefile: `all: prog\n${PROGRAM}${INSTALL}`, 'prog.c': HELLO_C },
    debian: { 'dh-install.install': 'usr/bin/prog\nusr/bin/frobnicate\nusr/share/error-codes\n' },
  },
  {
    name: 'dh-missing',
    binaryFields: ['Architecture: any', 'Depends: ${misc:Depends}'],
    files: {
      Makefile: `all: prog\n${PROGRAM}${INSTALL}\tinstall -D README $(DESTDIR)/usr/share/dh-missing/errors.txt\n`,
      'prog.c': HELLO_C,
    },
    debian: { 'dh-missing.install': 'usr/bin/prog\n' },
    rules: ['override_dh_auto_install:', '\tdh_auto_install --destdir=debian/tmp'],
  },
  {
    name: 'dh-usrlocal',
    files: {
      Makefile: `all: prog\n${PROGRAM}install:\n\tinstall -D prog $(DESTDIR)/usr/local/bin/prog\n`,
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'dh-shlibdeps',
    files: {
      Makefile:
        'all: prog\nlibfrob.so.1: frob.c\n\t$(CC) -shared -fPIC -Wl,-soname,libfrob.so.1 -o $@ frob.c\nprog: prog.c libfrob.so.1\n\t$(CC) -o $@ prog.c ./libfrob.so.1\ninstall:\n\tinstall -D prog $(DESTDIR)/usr/bin/prog\n',
      'frob.c': 'int frob(void) { return 0; }\n',
      'prog.c': 'int frob(void);\nint main(void) { return frob(); }\n',
    },
  },
  {
    name: 'dh-symbols',
    files: {
      Makefile:
        'all: libfrob.so.1\nlibfrob.so.1: frob.c\n\t$(CC) -shared -fPIC -Wl,-soname,libfrob.so.1 -o $@ frob.c\ninstall:\n\tinstall -D libfrob.so.1 $(DESTDIR)/usr/lib/libfrob.so.1\n',
      'frob.c': 'int frob_new(void) { return 0; }\n',
    },
    debian: {
      'dh-symbols.symbols':
        'libfrob.so.1 dh-symbols #MINVER#\n frob_error@Base 1.0\n frob_new@Base 1.0\n',
    },
  },
  {
    name: 'dh-addon',
    debian: { rules: '#!/usr/bin/make -f\n%:\n\tdh $@ --with frobnicate\n' },
  },
  { name: 'dh-no-compat', buildDepends: ['debhelper (>= 12)'] },
  { name: 'dh-old-compat', buildDepends: ['debhelper (>= 12)'], debian: { compat: '4\n' } },
  { name: 'dh-sequence', rules: ['override_dh_auto_build:', '\tdh frobnicate'] },
  { name: 'dh-installdocs', debian: { docs: 'README\nNEWS.error\n' } },
  // Control data
  {
    name: 'gencontrol-depends',
    binaryFields: ['Architecture: any', 'Depends: ${misc:Depends}, libc6 (>= 2.0 | libc7'],
  },
  {
    name: 'control-syntax',
    debian: {
      control:
        'Source: control-syntax\nSection: misc\nPriority: optional\nMaintainer: Airline Test <test@airline.example>\nStandards-Version: 4.6.2\nBuild-Depends: debhelper-compat (= 13)\n\nPackage: control-syntax\nArchitecture: any\nthis is no field\nDescription: trial\n',
    },
  },
  {
    name: 'changelog-syntax',
    debian: { changelog: 'changelog-syntax 1.0-1 bookworm\n\n  * A trial.\n' },
  },
  {
    name: 'no-binaries',
    debian: {
      rules: '#!/usr/bin/make -f\n%:\n\t@echo "error: nothing is built for $@, and that is fine"\n',
    },
  },
  // What make and the shell say
  {
    name: 'make-no-rule',
    files: {
      Makefile: 'all: prog\nprog: prog.o frobnicate.o\n\t$(CC) -o $@ $^\n',
      'prog.c': HELLO_C,
    },
  },
  { name: 'make-separator', files: { Makefile: 'all:\n    echo spaces\n' } },
  {
    name: 'shell-copy',
    files: { Makefile: 'all:\n\tmkdir -p out\n\tcp doc/errors.txt out/\n' },
  },
  {
    name: 'shell-syntax',
    files: {
      Makefile: 'all:\n\t./build\n',
      build: '#!/bin/sh\necho "building"\nif true; then\n  echo done\n',
    },
  },
  {
    name: 'make-error-alone',
    files: { Makefile: 'all:\n\t@echo "0 errors, 0 failures"\n\t@exit 3\n' },
  },
  // The machine
  {
    name: 'disk-full',
    files: { Makefile: 'all:\n\t$(CC) -S -o /dev/full prog.c\n', 'prog.c': HELLO_C },
  },
  {
    name: 'out-of-memory',
    files: {
      Makefile: 'all: prog.o\nprog.o: prog.c\n\tulimit -v 60000; $(CC) -O2 -c -o $@ prog.c\n',
      'prog.c':
        '#define A(x) x x x x x x x x\nint f(int);\nint main(void) { A(A(A(A(A(f(f(f(1)));))))) return 0; }\n',
    },
  },
  {
    name: 'compiler-killed',
    files: {
      Makefile:
        'all: prog.o\nprog.o: prog.c\n\t(sleep 1; for p in /proc/[0-9]*; do test "$$(cat $$p/comm)" != cc1 || kill -9 $${p#/proc/}; done) & $(CC) -O2 -c -o $@ prog.c\n',
      'prog.c':
        '#define A(x) x x x x x x x x\nint f(int);\nint main(void) { A(A(A(A(A(A(f(f(f(1)));)))))) return 0; }\n',
    },
  },
  {
    name: 'stalled',
    stalledMinutes: 1,
    files: {
      Makefile: 'all:\n\ttrue\ncheck:\n\techo "FAIL: this one was expected"\n\tsleep 600\n',
    },
  },
  { name: 'no-chroot', chroot: '/nowhere/debian-bookworm-amd64.tar' },
  { name: 'broken-chroot', chroot: '/etc/debian_version' },
  {
    name: 'good-archive-unreachable',
    sbuildOptions: ['--extra-repository=deb http://127.0.0.1:9/debian bookworm main'],
  },
  {
    name: 'network-download',
    files: {
      Makefile: 'all: data\ndata:\n\tperl fetch.pl http://data.example/tables > $@\n',
      'fetch.pl':
        'use HTTP::Tiny;\nmy $answer = HTTP::Tiny->new->get($ARGV[0]);\ndie $answer->{content} unless $answer->{success};\nprint $answer->{content};\n',
    },
  },
  // Made when the rules were written
  {
    name: 'later-translation',
    files: {
      Makefile: 'all:\n\tmsgfmt -c -o de.mo de.po\n',
      'de.po':
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "error: %d"\nmsgstr "Fehler: %d\n\nmsgid "none"\nmsgstr "keiner"\n',
    },
  },
  {
    name: 'later-loader',
    files: {
      Makefile:
        'all: tables.h\nlibgen.so.1: gen.c\n\t$(CC) -shared -fPIC -Wl,-soname,libgen.so.1 -o $@ gen.c\ngenerate: generate.c libgen.so.1\n\t$(CC) -o $@ generate.c ./libgen.so.1\ntables.h: generate\n\t./generate > $@\n',
      'gen.c': 'int gen(void) { return 0; }\n',
      'generate.c': 'int gen(void);\nint main(void) { return gen(); }\n',
    },
  },
  {
    name: 'later-destdir',
    files: {
      Makefile: `all: prog\n${PROGRAM}install:\n\tinstall -d /opt/later\n\tinstall prog /opt/later/prog\n`,
      'prog.c': HELLO_C,
    },
  },
  {
    name: 'later-unit',
    files: { Makefile: 'all:\n\ttrue\n' },
    rules: ['override_dh_installsystemd:', '\tdh_installsystemd --name=frobnicate errors.service'],
  },
  {
    name: 'later-diff',
    files: {
      Makefile:
        'all:\n\ttrue\ncheck:\n\t@for t in one two; do sh $$t.sh > $$t.out 2>&1; diff -u $$t.expected $$t.out || exit 1; echo "$$t passed"; done\n',
      'one.sh': 'echo "one.c:1:2: error: as expected"\n',
      'one.expected': 'one.c:1:2: error: as expected\n',
      'two.sh': 'echo "total: 5"\n',
      'two.expected': 'total: 4\n',
    },
  },
  {
    name: 'later-unset',
    files: {
      Makefile: 'all:\n\t./generate error.txt\n',
      generate:
        '#!/bin/sh\nset -eu\necho "generating $1: no errors"\necho "$OUTPUT_DIRECTORY/$1"\n',
    },
  },
  // What only looks broken
  {
    name: 'good-nasty-words',
    files: {
      Makefile: `CFLAGS += -Wall -Werror -Wno-error=deprecated\nall: error.o prog\n\t-false\n${PROGRAM}check:\n\t@echo "FAIL: test 3"; echo "not ok 3 - adds"; echo "prog.c:1:2: error: expected"\n\t@echo "3 errors, 2 failed"; false\n${INSTALL}`,
      'prog.c': HELLO_C,
      'error.c': 'int error(void) { return 0; }\n',
    },
    rules: ['override_dh_auto_test:', '\tdh_auto_test || echo "make: *** [x] Error 1 is expected"'],
  },
  {
    name: 'good-autotools',
    files: {
      'configure.ac':
        'AC_INIT([trial], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CHECK_HEADERS([error.h frobnicate.h])\nAC_CHECK_FUNCS([error_at_line frobnicate_error])\nAC_CHECK_LIB([z], [error])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n',
      'Makefile.am':
        'bin_PROGRAMS = prog\nprog_SOURCES = prog.c\ncheck_PROGRAMS = known\nTESTS = known\nXFAIL_TESTS = known\n',
      'prog.c': HELLO_C,
      'known.c': '#include <stdio.h>\nint main(void) { puts("FAIL: as it should"); return 1; }\n',
    },
  },
  {
    name: 'good-pytest',
    buildDepends: [DEBHELPER, 'dh-python', 'python3-all', 'python3-setuptools', 'python3-pytest'],
    files: {
      'setup.py':
        'from setuptools import setup\ntry:\n    import frobnicate\nexcept ImportError as error:\n    print("ImportError:", error)\nsetup(name="trial", version="1.0", py_modules=["trial"])\n',
      'trial.py': 'def total(numbers):\n    return sum(numbers)\n',
      'tests/test_trial.py':
        'import sys\nimport pytest\nimport trial\n\n\n@pytest.mark.xfail\ndef test_known():\n    assert trial.total([1]) == 2\n\n\ndef test_error():\n    print("E   AssertionError: printed", file=sys.stderr)\n    assert trial.total([1, 2]) == 3\n',
    },
    debian: {
      rules: '#!/usr/bin/make -f\n%:\n\tdh $@ --with python3 --buildsystem=pybuild\n',
    },
  },
  {
    name: 'good-without-debhelper',
    buildDepends: ['debhelper-compat (= 13)'],
    debian: {
      rules:
        '#!/usr/bin/make -f\nclean:\n\t-rm missing-file\nbuild build-arch build-indep:\n\techo "int main(void) { return 1 }" > bad.c\n\t! $(CC) bad.c\nbinary-arch: build\n\tmkdir -p debian/tree/DEBIAN debian/tree/usr/share/trial\n\tcp README debian/tree/usr/share/trial/errors\n\tdpkg-gencontrol -pgood-without-debhelper -Pdebian/tree\n\tdpkg-deb --root-owner-group --build debian/tree ..\nbinary-indep:\nbinary: binary-arch binary-indep\n.PHONY: clean build build-arch build-indep binary binary-arch binary-indep\n',
    },
  },
];
