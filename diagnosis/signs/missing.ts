import { labelled, sign, type Sign } from '../sign.ts';

/** What is not installed: headers, libraries, modules, programs. */
export const MISSING_SIGNS: readonly Sign[] = [
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
  sign('missing_module', 'cause', /^\S+:\d+:in .*: cannot load such file -- .*\(LoadError\)$/),
  sign(
    'missing_module',
    'cause',
    /^error: no matching package named|^error\[E0463\]: |^\[(?:ERROR|FATAL)\] .*(?:Could not resolve dependencies for project|could not be resolved: |Non-resolvable (?:parent|import) POM|Unresolveable build extension)/,
  ),
  labelled(
    'missing_module',
    'cause',
    /^\S+\.java:\d+: error: package \S+ does not exist$|^\S+\.go:\d+:\d+: (?:cannot find (?:package "|module providing package )|no required module provides package|module lookup disabled by |package \S+ is not in (?:GOROOT|std) )/,
  ),
  sign('missing_program', 'cause', /^Can't exec "/),
  labelled(
    'missing_program',
    'hint',
    /^\S+: (?:line )?\d+: \S+: (?:command )?not found$|^(?:\/usr\/bin\/)?env: .*: No such file or directory$|^g?make(?:\[\d+\])?: [^\s:*]+: (?:No such file or directory|Permission denied)$/,
  ),
];
