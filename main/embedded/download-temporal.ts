import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

// The SDK offers its download only together with a start of the server; a process of its own keeps
// the SDK's runtime out of the supervisor and gives the download a deadline.
const [directory = '', version = ''] = process.argv.slice(2);
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: {
        type: 'cached-download',
        downloadDir: directory,
        version: `v${version}`,
        ttl: '3650 days',
      },
    },
  });
  await environment.teardown();
} catch (error) {
  // The program is there even where its trial start was too slow.
  if (!existsSync(join(directory, `temporal-v${version}`))) {
    const { message } = error as Error;
    console.error(message.split(': error sending request')[0] + causeOf(message));
    process.exitCode = 1;
  }
}

function causeOf(message: string): string {
  return message.includes('dns error')
    ? ': temporal.download cannot be looked up (no network?)'
    : `: ${message}`;
}
