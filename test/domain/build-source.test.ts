import { buildIdOfWorkflow, buildWorkflowId, namedSources } from '../../domain/build-source.ts';

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
    const build = { buildId: 42, ticketId: 7, sourcePackages: names.map(store) };
    expect(buildWorkflowId(build)).toBe(id);
    expect(buildIdOfWorkflow(id)).toBe(42);
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
