import { failureLog } from '../../../domain/builds/failure-log.ts';

const BASE = 'http://localhost:8080/store/builds/5';
const LIB = `${BASE}/libhello_1_amd64.build.log`;
const ARM = `${BASE}/hello_1_arm64.build.log`;
const BUILT = `${BASE}/hello_1_amd64.build.log`;
const UPLOADED = `${BASE}/hello_1_amd64.upload.log`;
const LOGS = [LIB, ARM, UPLOADED, BUILT];

describe('the log of a failure', () => {
  it.each([
    ['the build log of its package and architecture', 'build_failed', LOGS, BUILT],
    ['the upload log where the archive did not take it', 'publish_failed', LOGS, UPLOADED],
    ['another log of the two where that one is missing', 'publish_failed', [LIB, BUILT], BUILT],
    ['the first log where the two have none', 'build_failed', [LIB, ARM], LIB],
    ['none where the build has none', 'build_failed', [], undefined],
  ] as const)('is %s', (_, failureClass, logs, log) => {
    const failure = { class: failureClass, package: 'hello', architecture: 'amd64' };
    expect(failureLog(failure, logs)).toBe(log);
  });

  it('is found by its decoded name', () => {
    const encoded = `${BASE}/g%2B%2B_1_amd64.build.log?version=2`;
    const failure = { class: 'build_failed', package: 'g++', architecture: 'amd64' } as const;
    expect(failureLog(failure, [LIB, encoded])).toBe(encoded);
  });

  it('is the first of its kind where it names no package and no architecture', () => {
    expect(failureLog({ class: 'timed_out' }, [UPLOADED, ARM])).toBe(ARM);
    expect(failureLog({ class: 'build_failed', architecture: 'arm64' }, LOGS)).toBe(ARM);
  });

  it('is the first one where nothing has failed', () => {
    expect(failureLog(null, LOGS)).toBe(LIB);
  });
});
