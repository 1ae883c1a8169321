import { ECHO, labelled, sign, type Sign } from '../sign.ts';

/** The program that a file-less message of a compiler starts with. */
const COMPILER_MESSAGE =
  /^(?:\S*[-/])?(?:cc|c\+\+|gcc|g\+\+|cc1|cc1plus|cc1obj|clang|clang\+\+|f951|gfortran|cpp|as|lto1|lto-wrapper|valac|rustc|ghc)(?:-[\d.]+)?: (?:fatal )?error: /;

/** Compilers and linkers. */
export const COMPILER_SIGNS: readonly Sign[] = [
  // Not of labelled lines alone: gold's begin with `main.o:main.c:function main: error: `.
  sign(
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

  sign('compiler_error', 'cause', /^[^\s:'"`]+:\d+(?::\d+)?: (?:fatal error|[Ee]rror):?(?: |$)/),
  // docutils, below sphinx: neither ends with it.
  sign('compiler_error', 'hint', /^[^\s:'"`]+:\d+(?::\d+)?: ERROR:?(?: |$)/),
  labelled('compiler_error', 'cause', COMPILER_MESSAGE, ECHO),
  labelled('compiler_error', 'cause', /^\S+: internal compiler error: /),
  sign(
    'compiler_error',
    'cause',
    /^error\[E\d{4}\]: |^(?:Fatal )?Error: .* at \(1\)|^\[ERROR\] \S+\.\w+:\[\d+,\d+\] /,
  ),
  // Cython begins the lines of its warnings and hints with these words.
  labelled('compiler_error', 'cause', /^[^\s:]+\.p(?:yx|xd|xi):\d+:\d+: /),
  labelled('compiler_error', 'cause', /^(?:vet: )?[^\s:]+\.go:\d+:\d+: /),
  sign('compiler_error', 'cause', /^[^\s:()]+\(\d+(?:,\d+)?\) (?:Error|Fatal): /),
  labelled(
    'compiler_error',
    'cause',
    /^[^\s:()]+\(\d+(?:,\d+)?\): (?:fatal )?[Ee]rror\b|^[^\s:]+:\d+\.\d+-\d+\.\d+: error: /,
  ),
];
