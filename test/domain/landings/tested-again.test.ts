import { againText } from '../../../domain/landings/tested-again.ts';

const MOVED =
  'The packages are tested again, and an approval from before does not count: the target got libc6 2.39-2 since the packages were tested.';
const RENEWED =
  'The packages are tested again on new base images: those of before may be older than what was built.';
const FIRST = { phase: 'testing', target_moved: null, tests: null } as const;

it.each([
  ['where the target has moved', { target_moved: ['libc6 2.39-2'] }, MOVED],
  ['on new base images', { tests: { renewed: true } }, RENEWED],
  ['for both', { target_moved: ['libc6 2.39-2'], tests: { renewed: true } }, `${MOVED} ${RENEWED}`],
  ['in a first round: nothing', { tests: {} }, undefined],
  ['once it is published: nothing', { phase: 'complete', tests: { renewed: true } }, undefined],
] as const)('says why what was tested is tested again, %s', (_, landing, said) => {
  expect(againText({ ...FIRST, ...landing })).toBe(said);
});
