import { placeName } from '../../../domain/testing/image.ts';

const PLACE = { distribution: 'ubuntu', series: 'noble', architecture: 'amd64' };

describe('the name of what images are made for', () => {
  it('is that of the mirrors alone where there is no target', () => {
    expect(placeName(PLACE)).toBe('ubuntu-noble-amd64');
    expect(placeName({ ...PLACE, target: null })).toBe('ubuntu-noble-amd64');
  });

  it('tells targets apart, also those whose names have the same letters', () => {
    const targets = [
      '~team/ubuntu/landed',
      '~team/debian/landed',
      '~team-ubuntu/x/y',
      '~team/ubuntu-x/y',
    ];
    const names = targets.map((target) => placeName({ ...PLACE, target }));
    expect(names[0]).toBe('ubuntu-noble-amd64_team_ubuntu_landed');
    expect(new Set(names).size).toBe(targets.length);
  });
});
