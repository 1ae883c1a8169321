/** One blow to one part, or to one machine. */
export type Blow = {
  /** Since the blow before. */
  gapMs: number;
  victim: string;
  /** Until it is started again, goes on, or its link is as it was. */
  downMs: number;
  /** It may fall while another part is down; else it waits until all are up. */
  besideAnother: boolean;
  /** It waits until its victim is up; else it may hit one that is just starting. */
  whenUp: boolean;
} & Harm;

/** What a blow does: `kill -9` of the part and all it started, SIGSTOP and later SIGCONT, or what machines suffer. */
type Harm =
  | { kind: 'kill' | 'pause' }
  | LinkFault
  /** The clock of its machine is set, to so many seconds from the true time. */
  | { kind: 'clock'; offsetS: number };

/** What can happen to a link; the other end of it is the switch that joins all machines. */
export type LinkFault =
  /** Nothing passes; nothing that the machine sends passes; nothing that is sent to it passes. */
  | { kind: 'cut' | 'mute' | 'deaf' }
  /** Nothing passes between the victim with these others and the rest. */
  | { kind: 'split'; others: readonly string[] }
  /** So many of a hundred packets are dropped, both ways. */
  | { kind: 'lossy'; percent: number }
  /** The link is so narrow that packets queue, for seconds. */
  | { kind: 'slow'; kbitPerS: number };

/** A blow as it is printed, such as `kill worker-1 for 300 ms`. */
export function describeBlow(blow: Blow): string {
  const { victim, downMs } = blow;
  switch (blow.kind) {
    case 'clock':
      return `set the clock of ${victim} to ${blow.offsetS} s`;
    case 'split':
      return `split ${[victim, ...blow.others].join(' and ')} from the rest for ${downMs} ms`;
    case 'lossy':
      return `drop ${blow.percent} % at ${victim} for ${downMs} ms`;
    case 'slow':
      return `slow ${victim} down to ${blow.kbitPerS} kbit/s for ${downMs} ms`;
    default:
      return `${blow.kind} ${victim} for ${downMs} ms`;
  }
}
