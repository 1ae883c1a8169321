import { failureOfAll, landingFailureOf } from '../../../domain/landings/landing-failure.ts';

const failed = (number: number) =>
  landingFailureOf('build_failed', 'building', `build ${number} failed`, {
    package: `lib${number}`,
    build_id: number,
  });

test('the failure of one package says of that alone', () => {
  expect(failureOfAll(failed(1), [])).toEqual(failed(1));
});

test('the failures of several packages have the build of the first, and name all', () => {
  expect(failureOfAll(failed(1), [failed(2)])).toEqual({
    ...failed(1),
    message: 'build 1 failed; build 2 failed',
    packages: ['lib1', 'lib2'],
  });
});

test('those of many packages say what happened to ten, and how many more there are', () => {
  const others = Array.from({ length: 11 }, (_, at) => failed(at + 2));
  const { message, packages } = failureOfAll(failed(1), others);
  expect(message).toMatch(/^build 1 failed; .*; build 10 failed; and 2 more$/);
  expect(packages).toHaveLength(12);
});
