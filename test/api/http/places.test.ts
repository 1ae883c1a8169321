import { takePlace, type Places } from '../../../api/http/places.ts';

describe('three places, of which a token has two', () => {
  let places: Places;
  beforeEach(() => {
    const taken = { count: 0, ofToken: new Map<string, number>() };
    places = { of: 'Files being stored', max: 3, maxOfToken: 2, taken };
  });
  const refused = (message: string) => expect.objectContaining({ code: 'overloaded', message });

  it('are taken by several, and a token leaves one to others', () => {
    takePlace(places, 'ada');
    takePlace(places, 'ada');
    expect(() => takePlace(places, 'ada')).toThrow(
      refused('Files being stored for ada: 2, as many as there may be at once.'),
    );
    takePlace(places, 'bea');
    expect(() => takePlace(places, 'cleo')).toThrow(
      refused('Files being stored: 3, as many as there may be at once.'),
    );
  });

  it('are there again when they were given back, and nothing of a token is left then', () => {
    const [first, second] = [takePlace(places, 'ada'), takePlace(places, 'ada')];
    first();
    expect(Object.fromEntries(places.taken.ofToken)).toEqual({ ada: 1 });
    takePlace(places, 'ada')();
    second();
    expect(places.taken).toEqual({ count: 0, ofToken: new Map() });
  });
});
