import type { z } from 'zod';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import type { SCRIPT } from '../../stand-in/script/script.ts';
import type { Airline } from '../support/airline.ts';

type Script = z.input<typeof SCRIPT>;
type BuildInMessage = ProgressMessage['builds'][number];

/** What a Launchpad does to one build, and how the build must end. */
export type Situation = {
  /** Also the name of the test's source package and of its PPA, so that faults of one situation hit no other. */
  name: string;
  /** `any`: two builds, on amd64 and riscv64. Default: one. */
  architecture?: 'any';
  source?: NonNullable<Script['sources']>[string];
  web?: NonNullable<Script['web']>;
  ftp?: NonNullable<Script['ftp']>;
  /**
   * What the messages must have shown, one after another, before the PPA goes on: the first is waited for by steps with
   * `untilReleased: 1`, the second by those with 2, and so on.
   */
  releasedBy?: readonly ((builds: BuildInMessage[]) => boolean)[];
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

/** That a build, or one of several, is shown in this state of the PPA. */
export const shows = (buildstate: string) => (builds: BuildInMessage[]) =>
  builds.some((build) => build.buildstate === buildstate);

/**
 * One script for all: what it says of a situation names that situation.
 *
 * @param released how many releases the source of a situation has had, by its name
 */
export function scriptOf(
  situations: readonly Situation[],
  released: ReadonlyMap<string, number> = new Map(),
): Script {
  return {
    sources: Object.fromEntries(
      situations.map(({ name, source = { builds: { '*': BUILT } } }) => {
        const releases = released.get(name);
        return [name, releases === undefined ? source : { ...source, released: releases }];
      }),
    ),
    web: situations.flatMap(({ web = [] }) => web),
    ftp: situations.flatMap(({ ftp = [] }) => ftp),
  };
}

/** Starts the builds of all situations, a few sources at a time. @returns the messages of each, by its name */
export async function startBuilds(
  airline: Airline,
  situations: readonly Situation[],
): Promise<Map<string, Promise<ProgressMessage[]>>> {
  const messages = new Map<string, Promise<ProgressMessage[]>>();
  const waiting = [...situations];
  const released = new Map<string, number>();
  /** Releases the next steps of a situation when the messages have shown what they wait for. */
  const release =
    ({ name, releasedBy = [] }: Situation) =>
    async ({ builds }: ProgressMessage) => {
      const releases = released.get(name) ?? 0;
      if (releasedBy[releases]?.(builds) !== true) return;
      released.set(name, releases + 1);
      airline.play(scriptOf(situations, released));
    };
  const work = async () => {
    for (let situation = waiting.shift(); situation; situation = waiting.shift()) {
      const { name, architecture } = situation;
      const submitted = await airline.submit({ name, ...(architecture ? { architecture } : {}) });
      const build = await airline.requestBuild(submitted, { ppa: `ppa:airline/${name}` });
      const all = airline.messages(build, release(situation));
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
