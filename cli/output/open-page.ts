import type { CommandContext } from '../command-context.ts';

/** Opens a page of the server in the browser of this machine, where that has one, and says its address. */
export async function openPage(
  { api, out, environment }: CommandContext,
  path: string,
): Promise<void> {
  const url = api.page(path);
  await out.show({ json: { url }, quiet: url, human: () => url });
  const { env, runProgram } = environment;
  const hasDisplay = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (out.form !== 'human' || !out.isTerminal) return;
  const opener = process.platform === 'darwin' ? 'open' : hasDisplay ? 'xdg-open' : undefined;
  if (opener === undefined) return;
  await runProgram(opener, [url]).catch(() => out.notice(`There is no ${opener} to open it with.`));
}
