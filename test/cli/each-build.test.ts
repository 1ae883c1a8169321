import { call, jsonLines } from './call.ts';
import { json, useScript } from './script-server.ts';

const problem = (status: number, code: string, detail: string) =>
  json(status, { code, detail, status, hint: 'What to do.', instance: 'urn:airline:request:1' });
const CANCELLED = json(202, { id: 13, phase: 'building' });

describe('a command for several builds, one of which refuses', () => {
  const server = useScript();
  const cancel = (...more: string[]) =>
    call(['build', 'cancel', '12', '13', ...more], { env: server.environment });
  beforeEach(() => server.play(problem(409, 'conflict', 'It has ended.'), CANCELLED));

  it('says which, why and what to do, and goes on', async () => {
    const { code, stdout, stderr } = await cancel();
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'airline: Build 12: It has ended.\n  → What to do.\n',
    });
    expect(stdout).toContain('Build 13 is being cancelled.');
  });

  it('is not silent with --quiet', async () => {
    expect((await cancel('--quiet')).stderr).toContain('Build 12: It has ended.');
  });

  it('is one JSON object for each with --json', async () => {
    const { stdout, stderr } = await cancel('--json');
    expect(jsonLines(stderr)).toEqual([
      {
        error: {
          code: 'conflict',
          exit: 5,
          message: 'Build 12: It has ended.',
          hint: 'What to do.',
          details: [],
        },
      },
    ]);
    expect(jsonLines(stdout)).toMatchObject([{ id: 13 }]);
  });
});
