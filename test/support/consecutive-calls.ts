/*
 * Calls programs of ours one after the other in this process, so that the packages which they share are loaded once.
 * The argument is a JSON list of calls; standard output is a JSON list of what came of each. What nobody has foreseen
 * ends all of them.
 */

/** A call of a program that is bundled. */
export type BundledCall = { path: string; args: readonly string[]; env: Record<string, string> };

/** What came of a call: what was printed and what it ended with. */
export type Ended = { code: number; stdout: string; stderr: string };

/** In place of the end of the process. */
class EndOfCall extends Error {}

const print = process.stdout.write.bind(process.stdout);
const calls = JSON.parse(process.argv[2] ?? '') as BundledCall[];
const answers: Ended[] = [];
for (const [number, call] of calls.entries()) answers.push(await run(call, number));
print(JSON.stringify(answers));

/** What the process would end with now. */
function codeSoFar(): number {
  return Number(process.exitCode ?? 0);
}

async function run({ path, args, env }: BundledCall, number: number): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  let code: number | undefined;
  process.argv = [process.execPath, path, ...args];
  process.env = env;
  process.exitCode = undefined;
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      // A program that catches whatever is thrown goes on here, and would be gone.
      if (code === undefined) printed[name] += text.toString();
      return true;
    };
  process.exit = (given) => {
    code ??= Number(given ?? codeSoFar());
    throw new EndOfCall(`process.exit was called with ${code}`);
  };
  try {
    // Each is evaluated anew.
    await import(`${path}?${number}`);
  } catch (error) {
    if (!(error instanceof EndOfCall)) throw error;
  }
  code ??= codeSoFar();
  process.exitCode = undefined;
  return { code, ...printed };
}
