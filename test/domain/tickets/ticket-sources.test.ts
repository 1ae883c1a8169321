import { sourceUrlsOf } from '../../../domain/tickets/ticket-sources.ts';

const spu = (reference: string) => ({ type: 'SPU', reference });
const subticket = {
  resource_uri: '/api/v1/subticket/1/',
  replaced_by: null,
  source_package_upload: { version: '1:1.1-3', sourcepackage: { name: 'hello' } },
};

test('the source files of a ticket are those of what stands, each once', () => {
  const subtickets = [
    { ...subticket, replaced_by: '/api/v1/subticket/2/', artifacts: [spu('old.dsc')] },
    { ...subticket, artifacts: [spu('new.dsc'), spu('common.tar.xz')] },
    { ...subticket, artifacts: [spu('common.tar.xz'), { type: 'LOGS', reference: 'a.log' }] },
  ];
  expect(sourceUrlsOf(subtickets)).toEqual(['new.dsc', 'common.tar.xz']);
});

describe('of a merge proposal that was built more than once', () => {
  const made = (version: string, commits = version) =>
    ['hello_1.1.orig.tar.gz', `hello_${version}_source.changes`].map(
      (name) => `http://127.0.0.1/${commits}/${name}`,
    );
  const build = (id: number, files: string[], of = 1) => ({
    id,
    subticket: `/api/v1/subticket/${of}/`,
    source_packages: files,
  });
  const proposal = {
    ...subticket,
    artifacts: ['1.1-1', '1.1-2', '1.1-3'].flatMap((version) => made(version).map(spu)),
  };

  test('they are those of the build that made the version that its subticket stands for', () => {
    const builds = [
      build(1, made('1.1-3')),
      build(2, made('1.1-2')),
      build(3, []),
      build(4, made('1.1-3', 'elsewhere'), 2),
      { id: 5, subticket: null, source_packages: made('1.1-3', 'requested') },
    ];
    expect(sourceUrlsOf([proposal], builds)).toEqual(made('1.1-3'));
  });

  test('they are the latest where several made that version', () => {
    const builds = [build(6, made('1.1-3', 'later')), build(1, made('1.1-3'))];
    expect(sourceUrlsOf([proposal], builds)).toEqual(made('1.1-3', 'later'));
  });

  test('they are the artifacts where none did, and while it has no source yet', () => {
    const artifacts = [spu('hello_1.1-4_source.changes')];
    const builds = [build(1, made('1.1-2'))];
    expect(sourceUrlsOf([{ ...subticket, artifacts }], builds)).toHaveLength(1);
    const unmade = { ...subticket, source_package_upload: null, artifacts };
    expect(sourceUrlsOf([unmade], builds)).toHaveLength(1);
  });
});
