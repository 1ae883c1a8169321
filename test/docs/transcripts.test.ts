import { readFile } from 'node:fs/promises';
import { describeApi } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/operations.ts';
import { createAnswerCheck } from '../api/check-answer.ts';

/** A request that a transcript shows, and its answer. */
type Shown = { method: string; path: string; status: number; text: string };

const CURL =
  /^\$ curl -w '\\n%\{http_code\}\\n' (?:-X (\w+) )?'http:\/\/127\.0\.0\.1:8080([^']+)'.*\n(.*)\n(\d{3})$/gm;
/** A call that shows a whole object. */
const SLUMBER = /^>>> (?:\w+ = )?api\.(\w+)(\([^()]*\))?\.(\w+)\(.*\)\n(\{\n[^]*?\n\})$/gm;
const STATUS: Readonly<Record<string, number>> = { get: 200, post: 201, put: 200, patch: 202 };

/** What `test/clients/ticket_life.sh` prints. */
const shownByCurl = (transcript: string): Shown[] =>
  [...transcript.matchAll(CURL)].map(([, method = 'GET', path = '', text = '', status]) => ({
    method,
    path,
    status: Number(status),
    text,
  }));

/** What `test/clients/ticket_life_slumber.py` prints. Any id does: its answer has the same fields. */
const shownBySlumber = (transcript: string): Shown[] =>
  [...transcript.matchAll(SLUMBER)].map(([, name, id, method = '', text = '']) => ({
    method: method.toUpperCase(),
    path: `/api/v1/${name}/${id === undefined ? '' : '1/'}`,
    status: STATUS[method] ?? 0,
    text,
  }));

describe('the transcripts in docs/api.md', () => {
  const check = createAnswerCheck(describeApi(OPERATIONS, { version: '', authentication: 'off' }));

  it.each([
    ['curl', shownByCurl, /^\$ curl /gm],
    ['slumber', shownBySlumber, /\n\{\n/g],
  ] as const)(
    'of %s show answers with the fields that answers have; else: npm run docs:transcripts',
    async (client, requestsOf, sign) => {
      const page = await readFile('docs/api.md', 'utf8');
      const [, rest = ''] = page.split(`<!-- begin: ${client} transcript -->`);
      const [transcript = ''] = rest.split(`<!-- end: ${client} transcript -->`);
      const requests = requestsOf(transcript);
      expect(requests.length).toBeGreaterThan(10);
      // None was passed over.
      expect(requests).toHaveLength(transcript.match(sign)?.length ?? 0);
      for (const request of requests) {
        const headers = new Headers(
          request.text === '' ? {} : { 'content-type': 'application/json' },
        );
        check({ ...request, headers });
      }
    },
  );
});
