/** What `airline` ends with, in every command. */
export const EXIT = {
  /** What was asked for is done. */
  done: 0,
  /** A build, a landing or a ticket failed, or the command itself met something unforeseen. */
  failed: 1,
  /** The call, or a file that it names, is not as it should be. */
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  /** The service does not answer, or not as Airline does. */
  unreachable: 6,
  /** The time that the caller gave is over. */
  timedOut: 7,
  /** A landing waits for a person's approval. */
  needsApproval: 8,
  /** A landing waits for something else. */
  waiting: 9,
  /** What a shell says of a program that SIGINT or SIGTERM ended. */
  interrupted: 130,
  terminated: 143,
  /** Nobody reads the output any more: what a shell says of a program that SIGPIPE ended. */
  unread: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Each code with what it means, in the words of `airline help` and docs/cli.md. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'a build, a landing or a ticket failed, or something unforeseen happened'],
  [EXIT.usage, 'the command line, or a file that it names, is wrong'],
  [EXIT.notFound, 'not found'],
  [
    EXIT.notAllowed,
    'not allowed: no token, a token or policy that forbids it, or a token file open to others',
  ],
  [EXIT.conflict, 'it conflicts with the current state'],
  [EXIT.unreachable, 'the service does not answer'],
  [EXIT.timedOut, 'the time given with --timeout has passed'],
  [EXIT.needsApproval, 'a landing waits for an approval'],
  [EXIT.waiting, 'a landing waits for something else'],
  [EXIT.interrupted, 'interrupted (Ctrl-C)'],
  [EXIT.unread, 'what read the output ended first, as head does'],
  [EXIT.terminated, 'interrupted by SIGTERM: its job was cancelled'],
];
