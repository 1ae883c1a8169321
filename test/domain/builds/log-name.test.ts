import { isLogOf } from '../../../domain/builds/log-name.ts';

describe('the log of a package and an architecture, by its name', () => {
  it.each([
    ['hello_2.10-3_amd64.build.log', { package: 'hello', architecture: 'amd64' }, true],
    ['hello_2.10-3_amd64.upload.log', { package: 'hello', architecture: 'amd64' }, true],
    ['hello_2.10-3_amd64.build.log', { package: 'hello' }, true],
    ['hello_2.10-3_amd64.build.log', { architecture: 'amd64' }, true],
    ['hello_2.10-3_amd64.build.log', { architecture: 'amd64v3' }, false],
    ['hello_2.10-3_amd64v3.build.log', { architecture: 'amd64' }, false],
    ['hello-doc_2.10-3_amd64.build.log', { package: 'hello' }, false],
    ['hello.log', { package: 'hello' }, false],
    ['hello.log', {}, true],
  ])('%s of %j: %s', (name, wanted, isIt) => {
    expect(isLogOf(name, wanted)).toBe(isIt);
  });
});
