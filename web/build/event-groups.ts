import type { ArchitectureBuild, ProgressMessage } from '../server/api-types.ts';

export type EventGroup = {
  first: ProgressMessage;
  last: ProgressMessage;
  /** How many events after the first say the same. */
  repeats: number;
  /** What the first says that the event before it did not. */
  changes: readonly ArchitectureBuild[];
};

/** Groups each event with the following ones that repeat it. */
export function groupsOf(events: readonly ProgressMessage[]): EventGroup[] {
  const groups: EventGroup[] = [];
  let before: ProgressMessage | undefined;
  for (const event of events) {
    const known = new Map(
      before?.attempt === event.attempt
        ? before.builds.map((one) => [keyOf(one), one.buildstate])
        : [],
    );
    const changes = event.builds.filter((one) => known.get(keyOf(one)) !== one.buildstate);
    const group = groups.at(-1);
    const isRepeat = event.attempt === before?.attempt && event.phase === before.phase;
    if (group && isRepeat && changes.length === 0) {
      group.last = event;
      group.repeats += 1;
    } else groups.push({ first: event, last: event, repeats: 0, changes });
    before = event;
  }
  return groups;
}

function keyOf({ package: name, architecture }: ArchitectureBuild): string {
  return JSON.stringify([name, architecture]);
}
