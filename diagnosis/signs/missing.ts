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
    /^(?:E {2,})?(?:ModuleNotFoundError: |ImportError: (?:No module named|cannot import name)|pkg_resources\.DistributionNotFound: )/,
  ),
  // `python3 -m`; a makefile may only ask by it whether a module is there.
  labelled(
    'missing_module',
    'hint',
    /^\S*\bpython[\d.]*: (?:No module named \S|Error while finding module specification for \S+ \(ModuleNotFoundError: )/,
  ),
  sign(
    'missing_module',
    'cause',
    /^(?:# *)?Can't locate \S+\.pm in @INC|^(?:npm (?:ERR!|error) )?Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '/,
  ),
  labelled('missing_module', 'cause', /^\S+: .*cannot load such file -- /),
  sign('missing_module', 'cause', /^\S+:\d+:in .*: cannot load such file -- .*\(LoadError\)$/),
  sign(
    'missing_module',
    'cause',
    /^\S+:\d+:in .*\((?:Gem|Bundler)::(?:Missing|GemNotFound|Load)\w*\)$/,
  ),
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
