import type { RunningPart } from '../part-runner.ts';
import type { Network } from './network.ts';

/**
 * A machine: its parts live and die together, and with its network. Who is connected to a machine that dies is not told
 * so, as where power fails.
 *
 * @param parts.main the part that the machine is for
 * @param parts.beside what starts before it
 */
export function createMachine(
  name: string,
  { main, beside }: { main: RunningPart; beside: readonly RunningPart[] },
  network: Network,
): RunningPart {
  const parts = [...beside, main];
  let isGone = false;
  return {
    name,
    get state() {
      if (isGone) return 'killed';
      const unwell = parts.find(({ state }) => state !== 'up');
      if (unwell) return unwell.state;
      return network.isSound(name) ? 'up' : 'cut';
    },
    get starts() {
      return main.starts;
    },
    get pid() {
      return main.pid;
    },
    async start() {
      await network.add(name);
      isGone = false;
      for (const part of parts) {
        await part.start();
        if (part !== main) await part.up();
      }
    },
    up: () => main.up(),
    async kill() {
      isGone = true;
      // First the link: no program says farewell.
      await network.remove(name);
      await Promise.all(parts.map((part) => part.kill()));
    },
    pause() {
      for (const part of parts) part.pause();
    },
    goOn() {
      for (const part of parts) part.goOn();
    },
    async end() {
      for (const part of beside) await part.end();
      return main.end();
    },
  };
}
