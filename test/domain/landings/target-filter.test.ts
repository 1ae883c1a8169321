import { targetFilter } from '../../../domain/landings/target-filter.ts';
import { readArchive } from '../../../domain/packages/archive.ts';
import { ANY_DISTRIBUTION } from '../../../domain/packages/ppa.ts';

it.each([
  ['ppa:Team/landed', { target__startswith: '~team/', target__endswith: '/landed' }],
  ['ppa:team/debian/landed', { target: '~team/debian/landed' }],
  ['~team/ubuntu/landed', { target: '~team/ubuntu/landed' }],
  ['Ubuntu', { target: 'ubuntu' }],
])('lists the landings to %s', (text, filter) => {
  const target = readArchive(text, ANY_DISTRIBUTION);
  expect(target && targetFilter(target)).toEqual(filter);
});
