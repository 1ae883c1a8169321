import { cpuMsOfTrees, parseStat, watchCpu } from '../../../bench/builds/process-load.ts';

describe('the processor time of parts', () => {
  it('has all that runs below a part, and nothing of another part below it', () => {
    const processes = [
      { pid: 1, parentPid: 0, cpuMs: 1_000 },
      { pid: 10, parentPid: 1, cpuMs: 5 },
      { pid: 11, parentPid: 10, cpuMs: 20 },
      { pid: 12, parentPid: 11, cpuMs: 300 },
      { pid: 20, parentPid: 10, cpuMs: 7_000 },
      { pid: 21, parentPid: 20, cpuMs: 80_000 },
    ];

    expect(cpuMsOfTrees(processes, { bench: 10, server: 20, gone: 99 })).toEqual({
      bench: 325,
      server: 87_000,
      gone: 0,
    });
  });

  it('is read from the kernel, whatever the process is called', () => {
    const stat =
      '4711 (a) (b c) S 42 4711 4711 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 11 0 100 1 1';

    expect(parseStat(stat)).toEqual({ pid: 4711, parentPid: 42, cpuMs: 2_500 });
  });

  it('counts what this process does', () => {
    const cores = watchCpu({ own: process.pid });
    const until = performance.now() + 200;
    while (performance.now() < until);

    expect(cores()['own']).toBeGreaterThan(0);
  });
});
