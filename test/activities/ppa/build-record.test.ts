import { buildRecordOf } from '../../../activities/ppa/build-record.ts';
import { MAX_DEPENDENCIES_LENGTH } from '../../../domain/builds/build-size.ts';

/** What a build record keeps of the dependencies that Launchpad's build waits for. */
const kept = (dependencies?: string | null) =>
  buildRecordOf({
    self_link: 'https://api.lp.example/devel/+build/1',
    web_link: 'https://lp.example/+build/1',
    arch_tag: 'amd64',
    buildstate: 'Dependency wait',
    source_package_name: 'hello',
    source_package_version: '1.0',
    can_be_cancelled: false,
    can_be_retried: false,
    ...(dependencies === undefined ? {} : { dependencies }),
  }).dependencies;

it('tells what a build waits for as Launchpad words it', () => {
  const all = 'x'.repeat(MAX_DEPENDENCIES_LENGTH);
  expect(['libfoo-dev (>= 2)', all, null, undefined].map(kept)).toEqual([
    'libfoo-dev (>= 2)',
    all,
    null,
    null,
  ]);
});

it('tells the beginning of what is too long to carry for every architecture', () => {
  const beginning = kept('libfoo-dev, '.repeat(10_000));
  expect(beginning).toMatch(/^(?:libfoo-dev, )+.*…$/);
  expect(beginning).toHaveLength(MAX_DEPENDENCIES_LENGTH);
});
