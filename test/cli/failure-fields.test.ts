import { failureFields } from '../../cli/tickets/failure-fields.ts';

const SUBTICKET = '/api/v1/subticket/7/';

describe('where a ticket or subticket failed', () => {
  it.each([
    ['400', 'test', null, '400 Image Testing (the test)'],
    ['200', 'build', SUBTICKET, '200 Package Building (the build of subticket 7)'],
    ['100', 'subticket', SUBTICKET, '100 Queued (subticket 7)'],
    ['500', null, null, '500 Package Publishing'],
  ] as const)('is told at %s, %s of %s', (step, part, subticket, text) => {
    const failed = {
      failed_at_step: step,
      failed_part: part,
      failed_subticket: subticket,
      failure_reason: 'it does not link',
    };
    expect(failureFields(failed)).toEqual([
      ['Failed at', text, 'bad'],
      ['Reason', 'it does not link'],
    ]);
  });

  it('is nothing of one that has not failed', () => {
    expect(failureFields({ failed_at_step: null, failure_reason: null })).toEqual([]);
  });
});
