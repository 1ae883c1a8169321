import type { Invocation } from './invocation.ts';

/** Opens a page of the server in the browser of this machine, where that has one, and says its address. */
export async function openPage(
  { rest, out, surroundings }: Invocation,
  path: string,
): Promise<void> {
  const url = rest.page(path);
  await out.show({ json: { url }, quiet: url, human: () => url });
  const { environment, runProgram } = surroundings;
  const hasDisplay = Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
  if (out.form !== 'human' || !out.isTerminal) return;
  const opener = process.platform === 'darwin' ? 'open' : hasDisplay ? 'xdg-open' : undefined;
  if (opener === undefined) return;
  await runProgram(opener, [url]).catch(() => out.notice(`There is no ${opener} to open it with.`));
}
