import { builtLater } from '../../../domain/builds/built-later.ts';

const PPA = 'https://launchpad.net/~ann/+archive/ubuntu/work';
const waiting = {
  package: 'libfoo++',
  state: 'dependency_wait',
  web_link: `${PPA}/+build/7`,
} as const;

describe('what a PPA builds after its build has ended', () => {
  it('is what waits for dependencies, with the page that deletes it', () => {
    expect(builtLater([waiting])).toEqual([
      { package: 'libfoo++', url: `${PPA}/+delete-packages?field.name_filter=libfoo%2B%2B` },
    ]);
  });

  it.each(['failed', 'completed', 'building'] as const)('is nothing that is %s', (state) => {
    expect(builtLater([{ ...waiting, state }])).toEqual([]);
  });

  it('is left out where the PPA is not known by the page of the build', () => {
    expect(builtLater([{ ...waiting, web_link: 'https://example.com/7' }])).toEqual([]);
  });
});
