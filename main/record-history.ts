import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { publicUrl } from './addresses.ts';
import { loadConfig } from './config.ts';
import { scrubHistory } from './scrub-history.ts';

const USAGE = `npm run histories -- BUILD_ID [--run RUN_ID] [--output FILE]

Writes the workflow history of a build of a running stack as JSON that \`npm test -- test/histories\` replays.
Names of machines and processes are taken out.

  --run     an earlier run of a build that has continued as new
  --output  file to write (default: standard output)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { run: { type: 'string' }, output: { type: 'string' }, help: { type: 'boolean' } },
});
const [buildId] = positionals;
if (values.help || !buildId || !/^\d+$/.test(buildId)) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}

const config = loadConfig();
const response = await fetch(`${publicUrl(config)}/api/v1/build/${buildId}/`);
if (!response.ok) throw new Error(`Build ${buildId}: the API answers ${response.status}.`);
const { workflow_id: workflowId } = (await response.json()) as { workflow_id: string };
const connection = await Connection.connect({
  address: config.AIRLINE_TEMPORAL_ADDRESS ?? `127.0.0.1:${config.AIRLINE_TEMPORAL_PORT}`,
});
try {
  const client = new Client({ connection, namespace: config.AIRLINE_TEMPORAL_NAMESPACE });
  const history = await client.workflow.getHandle(workflowId, values.run).fetchHistory();
  const text = scrubHistory(historyToJSON(history));
  if (values.output) await writeFile(values.output, text);
  else process.stdout.write(text);
} finally {
  await connection.close();
}
