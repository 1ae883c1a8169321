import {
  failedPart,
  rollUp,
  stepToShow,
  type WorkflowStep,
} from '../../../domain/tickets/ticket.ts';

const at = (step: WorkflowStep, status: WorkflowStep = step) => ({
  currentWorkflowStep: step,
  status,
});

describe('a ticket follows its subtickets', () => {
  test.each([
    ['no subtickets', at(100), [], at(100)],
    ['all have passed a step', at(100), [at(300), at(200)], at(200)],
    ["the slowest one's status lags behind its step", at(100), [at(300, 100)], at(300)],
    ['one lags behind', at(200), [at(300), at(100)], at(200)],
    ['one failed', at(300), [at(500), at(999)], at(999)],
    ['one failed by its status', at(200), [at(200, 999), at(200)], at(999)],
    ['all complete', at(500), [at(1000), at(1000)], at(1000)],
    ['it never leaves Complete', at(1000), [at(999)], at(1000)],
    ['a ticket that failed by itself does not move on by itself', at(999), [at(300)], at(999)],
    ['nor does one that failed by its status', at(300, 999), [at(500)], at(300, 999)],
    ['a failed ticket is Complete when all that counts is', at(999), [at(1000)], at(1000)],
    ['so is one that failed by its status', at(300, 999), [at(1000), at(1000)], at(1000)],
    ['one that failed by its status fails with a subticket', at(300, 999), [at(999)], at(999)],
  ])('%s', (_, ticket, subtickets, expected) => {
    expect(rollUp({ ...ticket, failedSubticketId: null }, subtickets)).toEqual(expected);
  });

  test.each([
    ['is open again when none of them has failed any more', at(999), [at(100), at(300)], at(100)],
    ['is Complete when all of them are', at(999), [at(1000)], at(1000)],
    ['stays Failed when another has failed', at(999), [at(300), at(999)], at(999)],
  ])('one that a subticket failed %s', (_, ticket, subtickets, expected) => {
    expect(rollUp({ ...ticket, failedSubticketId: 7 }, subtickets)).toEqual(expected);
  });
});

test.each([
  [200, 7, 'build'],
  [300, null, 'build'],
  [400, null, 'test'],
  [100, 7, 'subticket'],
  [500, null, null],
  [null, null, null],
] as const)('what failed at %s by subticket %s is: %s', (step, subticketId, part) => {
  expect(failedPart(step, subticketId)).toBe(part);
});

test.each([
  ['400', '400', '400'],
  ['400', '999', '999'],
  ['999', '7', '999'],
  ['1000', '1000', '1000'],
] as const)('one at %s with the status %s is shown at %s', (step, status, shown) => {
  expect(stepToShow({ current_workflow_step: step, status })).toBe(shown);
});
