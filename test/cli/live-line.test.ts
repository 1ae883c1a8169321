import { createLiveLine } from '../../cli/output/live-line.ts';
import { collecting } from './call.ts';

describe('the last line of a terminal', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('stays one line, whatever stands in its text', () => {
    const { stream, text } = collecting(true, 40);
    const line = createLiveLine(stream, true);
    line.set(() => 'builds \u001b[2Jhello\r\nnow');
    jest.advanceTimersByTime(1_000);
    line.set(undefined);
    expect(text()).toBe('\r\u001b[Kbuilds ␛[2Jhello now\r\u001b[K');
  });
});
