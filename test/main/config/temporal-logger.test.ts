import { pino } from 'pino';
import { temporalLogger } from '../../../main/config/temporal-logger.ts';

it('warns of what the SDK warns of, save of a worker that is to run activities alone', () => {
  const lines: string[] = [];
  const ours = temporalLogger(pino({ level: 'info' }, { write: (line) => lines.push(line) }));
  ours.warn('No workflows registered, not polling for workflow tasks');
  ours.warn('Workflow task duration exceeded 5 seconds.', { eventId: 4 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'Workflow task duration exceeded 5 seconds.',
      eventId: 4,
    }),
  ]);
});
