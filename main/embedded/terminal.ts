import { blankSecrets } from '../config/logging.ts';
import type { Progress } from './part.ts';
import type { Stack } from './stack.ts';

type Output = { write(text: string): unknown };

/** Prints each thing that happens in a stack as one line. */
export function createProgressPrinter(output: Output): (progress: Progress) => void {
  return ({ part, kind, text, elapsedMs }) => {
    const elapsed = `${(elapsedMs / 1_000).toFixed(1)} s`.padStart(8);
    const word = { note: '', ready: 'ready: ', stopped: 'stopped: ', warning: 'warning: ' }[kind];
    output.write(`${elapsed}  ${part.padEnd(16)}${word}${text}\n`);
  };
}

/** Prints where everything is, without the passwords in the addresses. */
export function printAddresses(stack: Stack, output: Output): void {
  const { addresses, logDir } = stack;
  const rows: [string, string | undefined][] = [
    ['API', addresses.api],
    ['Temporal', addresses.temporalAddress],
    ['Temporal Web UI', addresses.temporalUiUrl],
    ['PostgreSQL', addresses.databaseUrl],
    ['RabbitMQ', addresses.amqpUrl],
    ['Launchpad', addresses.launchpadUrl && `${addresses.launchpadUrl}/devel/`],
    ['uploads (FTP)', addresses.uploadHost],
    ['apt repositories', addresses.aptRepository],
    ['logs', logDir],
  ];
  const lines = rows
    .filter((row): row is [string, string] => Boolean(row[1]))
    .map(([name, address]) => `  ${name.padEnd(18)}${blankSecrets(address)}\n`);
  output.write(`\n${lines.join('')}\nCtrl-C stops it.\n`);
}
