import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newWebhookSecret } from '../../models/events/webhook.ts';
import { signedHeaders } from '../../progress/sign-webhook.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const directory = temporaryDirectory();

/** The example of the page in a language. */
function example(language: string): string {
  const page = readFileSync('docs/webhooks.md', 'utf8');
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  expect(code.split('\n').length).toBeLessThanOrEqual(17);
  return code;
}

const secret = newWebhookSecret();
const body = '{"build_id": 7, "title": "ä"}';
const at = (minutes: number, text = body) =>
  signedHeaders(secret, { id: '7:1', at: new Date(Date.now() + minutes * 60_000), body: text });
const right = { secret, headers: at(0), body };
const two = `v1,AAAA ${right.headers['webhook-signature']}`;
/** What `verify` is given, and whether it is to be true. */
const CASES: readonly (readonly [object, boolean])[] = [
  [right, true],
  [{ ...right, headers: { ...right.headers, 'webhook-signature': two } }, true],
  [{ ...right, headers: { ...right.headers, 'webhook-id': '7:2' } }, false],
  [{ ...right, body: `${body} ` }, false],
  [{ ...right, secret: newWebhookSecret() }, false],
  [{ ...right, headers: at(-30) }, false],
  [{ ...right, headers: at(30) }, false],
];

it.each([
  [
    'python',
    ['python3', 'verify.py'],
    `
import json, sys
cases = json.loads(sys.argv[1])
print(json.dumps([verify(c["secret"], c["headers"], c["body"].encode()) for c in cases]))
`,
  ],
  [
    'js',
    ['node', 'verify.mjs'],
    `
const cases = JSON.parse(process.argv[2]);
const results = cases.map((c) => verify(c.secret, c.headers, Buffer.from(c.body)));
console.log(JSON.stringify(results));
`,
  ],
])(
  'docs/webhooks.md verifies signatures in %s',
  async (language, [program = '', file = ''], end) => {
    const path = join(directory, file);
    writeFileSync(path, example(language) + end);
    const given = JSON.stringify(CASES.map(([one]) => one));
    const { stdout } = await run(program, [path, given]);
    expect(JSON.parse(stdout)).toEqual(CASES.map(([, wanted]) => wanted));
  },
);
