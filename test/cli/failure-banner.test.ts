import { failureBanner } from '../../cli/builds/failure-banner.ts';

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
const banner = (more: { code?: string }) =>
  failureBanner(context, { id: 7, failure: { ...failure, ...more }, logs: [] });

describe('what is said of a failed build', () => {
  it('begins with its class, and with the code where the class has several reasons', () => {
    expect(banner({})).toMatch(/^✗ Build 7 failed: upload_rejected\n {2}hello 1\.0 is older/);
    expect(banner({ code: 'version_not_higher' })).toMatch(
      /^✗ Build 7 failed: upload_rejected \(version_not_higher\)\n/,
    );
  });
});
