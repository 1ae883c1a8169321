import { buildsAddress, listAddress, readBuildsQuery } from '../../web/builds/builds-query.ts';

const NOW_MS = Date.parse('2026-05-04T12:00:00Z');

/** What the API is asked for the page of builds at an address. */
const askedAt = (address: string) => {
  const page = new URL(address, 'http://airline.test').searchParams;
  const list = listAddress(readBuildsQuery(Object.fromEntries(page)), NOW_MS);
  return Object.fromEntries(new URL(list, 'http://airline.test').searchParams);
};

describe('the page of builds', () => {
  it.each([
    ['1d', { requested_at__gte: '2026-05-03T12:00:00.000Z' }],
    ['over-1d', { requested_at__lt: '2026-05-03T12:00:00.000Z' }],
    // However long ago they were requested: the status page counts them so.
    ['ended-1d', { finished_at__gte: '2026-05-03T12:00:00.000Z' }],
  ])('asks for those of an age: %s', (age, times) => {
    const { phase, ...asked } = askedAt(buildsAddress({ show: 'failed', age }));
    expect(phase).toBe('failed');
    expect(
      Object.fromEntries(Object.entries(asked).filter(([name]) => name.includes('_at'))),
    ).toEqual(times);
  });

  it.each([
    ['ppa:ann/own', 'in_ppa'],
    ['~ann/debian/own', 'in_ppa'],
    ['Ann/Own', 'in_ppa'],
    ['ann', 'ppa__icontains'],
    ['ppa:ann/', 'ppa__icontains'],
  ])('asks for those of %s by %s', (ppa, filter) => {
    const asked = Object.entries(askedAt(buildsAddress({ ppa })));
    expect(asked.filter(([name]) => name.includes('ppa'))).toEqual([[filter, ppa]]);
  });
});
