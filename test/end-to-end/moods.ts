import type { z } from 'zod';
import type { ProgressMessage } from '../../domain/progress.ts';
import type { SCRIPT } from '../../stand-in/script/script.ts';
import type { Airline } from '../support/airline.ts';

type Script = z.input<typeof SCRIPT>;

/** What a Launchpad does to one build, and how the build must end. */
export type Mood = {
  /** Also the name of the test's source package and of its PPA, so that faults of one mood hit no other. */
  name: string;
  /** `any`: two builds, on amd64 and riscv64. Default: one. */
  architecture?: 'any';
  source?: NonNullable<Script['sources']>[string];
  web?: NonNullable<Script['web']>;
  ftp?: NonNullable<Script['ftp']>;
  /** What the final message must have, as `toMatchObject` reads it. */
  final: Record<string, unknown>;
  /** Looks at all messages of the build. */
  check?: (messages: ProgressMessage[]) => Promise<void> | void;
};

export const BUILT = [{ state: 'Currently building' }, { state: 'Successfully built' }];

export const COMPLETED = { state: 'COMPLETED', exit: true };

/** The final message of a failure of this class. */
export function failedAs(failureClass: string, more: Record<string, unknown> = {}) {
  return { state: 'FAILED', exit: true, failure: { class: failureClass, ...more } };
}

/** One script for all: what it says of a mood names that mood. */
export function scriptOf(moods: readonly Mood[]): Script {
  return {
    sources: Object.fromEntries(
      moods.map(({ name, source = { builds: { '*': BUILT } } }) => [name, source]),
    ),
    web: moods.flatMap(({ web = [] }) => web),
    ftp: moods.flatMap(({ ftp = [] }) => ftp),
  };
}

/** Starts the builds of all moods, a few sources at a time. @returns the messages of each, by its name */
export async function startBuilds(
  airline: Airline,
  moods: readonly Mood[],
): Promise<Map<string, Promise<ProgressMessage[]>>> {
  const messages = new Map<string, Promise<ProgressMessage[]>>();
  const waiting = [...moods];
  const work = async () => {
    for (let mood = waiting.shift(); mood; mood = waiting.shift()) {
      const { name, architecture } = mood;
      const submitted = await airline.submit({ name, ...(architecture ? { architecture } : {}) });
      const build = await airline.requestBuild(submitted, { ppa: `ppa:airline/${name}` });
      const all = airline.messages(build);
      // Its test awaits it later, and fails then.
      all.catch(() => undefined);
      messages.set(name, all);
    }
  };
  await Promise.all([work(), work()]);
  return messages;
}

/** What every build of ours does: messages without a gap, and one final message, the last. */
export function expectOneStream(messages: readonly ProgressMessage[]): void {
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  expect(messages.map(({ exit = false }) => exit)).toEqual(
    messages.map((_, index) => index === messages.length - 1),
  );
}

/** The text of a build's log, by where it is in the final message's list. */
export async function logOf(messages: readonly ProgressMessage[], at = 0): Promise<string> {
  const url = messages.at(-1)?.logs?.[at];
  if (url === undefined) throw new Error(`the final message names no log ${at}`);
  return (await fetch(url)).text();
}
