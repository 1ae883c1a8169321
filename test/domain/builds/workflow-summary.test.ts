import { summaryText } from '../../../domain/builds/workflow-summary.ts';

describe('the summary of a workflow', () => {
  test('is the text where Temporal takes it', () => {
    expect(summaryText('x'.repeat(120))).toBe('x'.repeat(120));
  });

  test('is cut, and says so, where it is longer', () => {
    expect(summaryText('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`);
  });
});
