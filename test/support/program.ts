import { bundledProgram, bundleProgram } from '../../main/embedded/bundle-program.ts';

/**
 * Arguments with which Node starts a program of ours, as a part of `npm start` is started.
 *
 * @param path of its main module, below the project's directory
 */
export async function programArguments(path: string): Promise<string[]> {
  await bundleProgram(process.cwd(), path);
  return bundledProgram(process.cwd(), path);
}
