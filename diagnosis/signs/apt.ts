import { labelled, sign, type Sign } from '../sign.ts';

/** Chroots, apt and what the build depends on. */
export const APT_SIGNS: readonly Sign[] = [
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
  labelled('unreachable', 'cause', /^(?:go|\S+\.go:\d+:\d+): .*: Get "https?:\/\//),
  // CMake, npm and cargo.
  sign(
    'unreachable',
    'cause',
    /^ +error: downloading '\S+' failed$|^ {2}Failed to clone repository: '|^npm (?:ERR!|error) code (?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT)$|^ +\[\d+\] Could(?:n't| not) resolve host/,
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
  // Where apt 3 misses one package, it says this of others, too, which are there.
  sign(
    'unmet_dependency',
    'likely',
    /^(?:E(?:: )?)? (?:\S+ :| +)? ?(?:Pre-?Depends|Depends|Conflicts|Breaks): .+ but it is not going to be installed$/,
  ),
  sign(
    'unmet_dependency',
    'cause',
    // apt writes errors to another stream, a piece at a time: the line may begin with the E of one.
    /^(?:E(?:: )?)? (?:\S+ :| +)? ?(?:Pre-?Depends|Depends|Conflicts|Breaks): .+ but .+ (?:install(?:able|ed)|virtual package)$/,
  ),
  sign(
    'unmet_dependency',
    'cause',
    /^dpkg-checkbuilddeps: error: [Uu]nmet build |^E: Unable to locate package |^E: Package '.*' has no installation candidate/,
  ),
  // The reason is on the line below.
  sign('unmet_dependency', 'likely', /^dpkg: error processing (?:package|archive) /),
  sign('unmet_dependency', 'cause', /^E: Unable to satisfy dependencies\. Reached /),
  sign('unmet_dependency', 'hint', /^E: Unable to correct problems/),
];
