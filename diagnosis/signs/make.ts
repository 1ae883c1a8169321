import { ECHO, labelled, sign, type Sign } from '../sign.ts';

/** Perl's last words; no line begins in a way that tells them. */
export const PERL_DIED = /^\S.* at \S+ line \d+\.$/;

/** make, ninja, Maven, Gradle, and the commands that they run. */
export const MAKE_SIGNS: readonly Sign[] = [
  labelled(
    'makefile_error',
    'cause',
    /^(?:\S+:\d+|g?make(?:\[\d+\])?): \*{3} .*\. {2}Stop\.$|^ninja: error: /,
  ),
  // Maven and Gradle: what is wrong with a source comes before it.
  sign(
    'command_failed',
    'cause',
    /^\[ERROR\] (?:Failed to execute goal |The build could not read )|^\* What went wrong:$/,
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
    ECHO,
  ),
  sign('command_failed', 'hint', /^(?:error|Error|ERROR|fatal|Fatal|FATAL): /, ECHO),
  sign('command_failed', 'hint', /^! \w/),
  sign('command_failed', 'hint', PERL_DIED),
];
