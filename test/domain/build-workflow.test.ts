import { buildIdOfWorkflow, buildWorkflowId } from '../../domain/build-workflow.ts';
import { namedSources, packagesInPpa } from '../../domain/source-file.ts';

const store = (name: string) => `http://127.0.0.1:8080/store/uploads/${name}`;

describe('the workflow id of a build', () => {
  test.each([
    ['one package', ['hello_2.10-3.dsc', 'hello_2.10-3_source.changes'], 'build-42-ticket-7-hello'],
    [
      'three packages',
      ['b_1_source.changes', 'a_1_source.changes', 'c_1_source.changes'],
      'build-42-ticket-7-b-and-2-more',
    ],
    ['a name that is no source package name', ['%3Cb%3E_1_source.changes'], 'build-42-ticket-7'],
    ['a name that is not well encoded', ['%E0%A4%A_1_source.changes'], 'build-42-ticket-7'],
  ])('%s', (_, names, id) => {
    const build = { buildId: 42, ticketId: 7, sourcePackages: names.map(store), attempt: 1 };
    expect(buildWorkflowId(build)).toBe(id);
    expect(buildIdOfWorkflow(id)).toBe(42);
  });

  test('a later attempt has an id of its own', () => {
    const build = { buildId: 4, ticketId: 7, sourcePackages: [store('b_1_source.changes')] };
    expect(buildWorkflowId({ ...build, attempt: 2 })).toBe('build-4-ticket-7-b-attempt-2');
    expect(buildIdOfWorkflow('build-4-ticket-7-b-attempt-2')).toBe(4);
  });

  test.each(['', 'build-x-ticket-1', 'build-1-ticket-1hello', 'other-1-ticket-1'])(
    '%j is none',
    (id) => {
      expect(buildIdOfWorkflow(id)).toBeUndefined();
    },
  );
});

test('what a request holds is read from the names of its .changes', () => {
  expect(
    namedSources([store('hello_2.10-3%2Bb1_source.changes'), store('hello_2.10.orig.tar.gz')]),
  ).toEqual(['hello 2.10-3+b1']);
});

test.each([
  ['in a query', store('x?y=/evil_1_source.changes')],
  ['in a fragment', store('x#/evil_1_source.changes')],
  ['in Markdown', store('%0A**evil**_1_source.changes')],
  ['behind a backslash', store('evil\\evil_1_source.changes')],
])('a .changes %s is none', (_, url) => {
  expect(namedSources([url, store('b_1_source.changes?x=/evil_2_source.changes')])).toEqual([
    'b 1',
  ]);
});

describe('what a retry may ask the PPA to build again', () => {
  const request = [store('a_1_source.changes'), store('b_2_source.changes')];
  const built = (name: string, version: string) => ({ package: name, version });

  test('each package once, with the version that the PPA shows', () => {
    expect(packagesInPpa(request, [built('a', '1:1'), built('a', '1:1'), built('b', '2')])).toEqual(
      [
        { source: 'a', version: '1:1' },
        { source: 'b', version: '2' },
      ],
    );
  });

  test.each([
    ['one is missing there', request, [built('a', '1')]],
    ['nothing is there', request, []],
    ['the request names none', [], []],
  ])('nothing where %s', (_, names, builds) => {
    expect(packagesInPpa(names, builds)).toBeUndefined();
  });
});
