import type { Failure } from '../../api/openapi/contract.generated.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import { failureBanner } from '../../cli/builds/failure-banner.ts';
import { failureOf } from '../../domain/builds/failure.ts';

const context = {
  api: { page: (path: string) => `http://airline.example${path}` },
  out: { colour: (_: unknown, text: string) => text },
};
const failure = {
  class: 'upload_rejected',
  retryable: false,
  message: 'hello 1.0 is older than 2.0',
  hint: 'Give it a higher version.',
} as const;
const cancelled = failureOf('cancelled', 'cancelled by ann');
const banner = (more: Partial<Failure>, builds: ArchitectureBuild[] = []) =>
  failureBanner(context, { id: 7, failure: { ...failure, ...more }, logs: [], builds });

describe('what is said of a failed build', () => {
  it('begins with its class, and with the code where the class has several reasons', () => {
    expect(banner({})).toMatch(/^✗ Build 7 failed: upload_rejected\n {2}hello 1\.0 is older/);
    expect(banner({ code: 'version_not_higher' })).toMatch(
      /^✗ Build 7 failed: upload_rejected \(version_not_higher\)\n/,
    );
  });

  it('is no alarm where it was cancelled, and says one way to go on', () => {
    expect(banner(cancelled)).toBe(
      [
        'Build 7 was cancelled.',
        '  cancelled by ann',
        '',
        '  Retry         if it is still wanted: airline build retry 7',
        '  Page          http://airline.example/build/7',
      ].join('\n'),
    );
  });

  it('says what else it takes where a retry of what was cancelled needs more', () => {
    expect(banner({ ...cancelled, hint: 'Ask the lander first.' })).toContain(
      '  What to do    Ask the lander first.\n  Retry         if it is still wanted: airline build retry 7',
    );
  });

  it('says where a source is deleted that the PPA builds later, once for each package', () => {
    const waiting = (architecture: string) => ({
      package: 'hello',
      version: '1.0',
      architecture,
      buildstate: 'Dependency wait',
      state: 'dependency_wait' as const,
      web_link: `https://launchpad.net/~ann/+archive/ubuntu/work/+build/${architecture.length}`,
    });
    const told = banner(cancelled, [waiting('amd64'), waiting('armhf')]);
    expect(told.match(/Delete .*/g)).toEqual([
      'Delete        hello in the PPA, or it is built later: https://launchpad.net/~ann/+archive/ubuntu/work/+delete-packages?field.name_filter=hello',
    ]);
  });
});
