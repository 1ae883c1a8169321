import type { Stack } from '../../../main/embedded/stack.ts';
import { printAddresses } from '../../../main/embedded/terminal.ts';

it('shows where everything is, but the password of nothing', () => {
  const addresses = {
    api: 'http://127.0.0.1:8080',
    databaseUrl: 'postgres://airline:hidden-1@db.example:5432/airline',
    amqpUrl: 'amqps://airline:hidden-2@mq.example/builds',
    temporalAddress: 'temporal.example:7233',
    temporalUiUrl: 'https://reader:hidden-3@temporal.example',
    launchpadUrl: 'http://127.0.0.1:8085',
    uploadHost: '127.0.0.1:2121',
    aptRepository: undefined,
  };
  let output = '';
  printAddresses({ addresses, logDir: '/var/lib/airline/logs' } as Stack, {
    write: (text) => (output += text),
  });
  expect(output.split('\n').filter((line) => line.startsWith('  '))).toEqual([
    '  API               http://127.0.0.1:8080',
    '  Temporal          temporal.example:7233',
    '  Temporal Web UI   https://reader:***@temporal.example',
    '  PostgreSQL        postgres://airline:***@db.example:5432/airline',
    '  RabbitMQ          amqps://airline:***@mq.example/builds',
    '  Launchpad         http://127.0.0.1:8085/devel/',
    '  uploads (FTP)     127.0.0.1:2121',
    '  logs              /var/lib/airline/logs',
  ]);
});
