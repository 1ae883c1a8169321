import pino from 'pino';
import { openDatabase } from '../../models/database.ts';
import { startProgressPublisher } from '../../progress/publish-progress.ts';

// A publisher in a process of its own, which a test can kill:
//   node --import tsx test/progress/publisher-process.ts <database URL> <broker URL>

const [databaseUrl = '', amqpUrl = ''] = process.argv.slice(2);

startProgressPublisher({
  database: openDatabase(databaseUrl, 2),
  amqpUrl,
  intervalMs: 50,
  answerMs: 60_000,
  logger: pino({ level: 'warn' }, pino.destination(2)),
});
