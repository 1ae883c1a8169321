import { buildIdOfWorkflow, buildWorkflowId } from '../../domain/build-workflow.ts';

const store = (name: string) => `http://127.0.0.1:8080/store/uploads/${name}`;

describe('the workflow id of a build', () => {
  test.each([
    ['one package', ['hello_2.10-3.dsc', 'hello_2.10-3_source.changes'], 'build-42-ticket-7-hello'],
    [
      'three packages',
      ['bb_1_source.changes', 'aa_1_source.changes', 'cc_1_source.changes'],
      'build-42-ticket-7-bb-and-2-more',
    ],
    ['a name that is no source package name', ['%3Cb%3E_1_source.changes'], 'build-42-ticket-7'],
    ['a name that is not well encoded', ['%E0%A4%A_1_source.changes'], 'build-42-ticket-7'],
  ])('%s', (_, names, id) => {
    const build = { buildId: 42, ticketId: 7, sourcePackages: names.map(store), attempt: 1 };
    expect(buildWorkflowId(build)).toBe(id);
    expect(buildIdOfWorkflow(id)).toBe(42);
  });

  test('a later attempt has an id of its own', () => {
    const build = { buildId: 4, ticketId: 7, sourcePackages: [store('bb_1_source.changes')] };
    expect(buildWorkflowId({ ...build, attempt: 2 })).toBe('build-4-ticket-7-bb-attempt-2');
    expect(buildIdOfWorkflow('build-4-ticket-7-bb-attempt-2')).toBe(4);
  });

  test.each(['', 'build-x-ticket-1', 'build-1-ticket-1hello', 'other-1-ticket-1'])(
    '%j is none',
    (id) => {
      expect(buildIdOfWorkflow(id)).toBeUndefined();
    },
  );
});
