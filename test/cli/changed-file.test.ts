import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { patientFetch } from '../../cli/server/patient-fetch.ts';
import { call } from './call.ts';
import { json, useScript } from './script-server.ts';
import { writeUpload } from './write-upload.ts';

const TARBALL = 'hello_2.10-3.tar.xz';

describe('a file that changes between its check and its upload', () => {
  const server = useScript();

  it.each<[string, (path: string) => void, string]>([
    ['is gone', (path) => rmSync(path), 'there is no such file'],
    ['has grown', (path) => appendFileSync(path, 'x'), 'it has grown since it was checked'],
    ['is cut', (path) => truncateSync(path, 3), 'it was changed since it was checked'],
    [
      'has other content',
      (path) => writeFileSync(path, 'not reallY\n'),
      'it was changed since it was checked',
    ],
  ])('%s: is not stored, and not tried again', async (_, spoil, said) => {
    const { changes, directory } = writeUpload();
    const stored: string[] = [];
    server.play((request, response) => {
      const name = basename(request.url ?? '');
      stored.push(name);
      const sha256 = createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex');
      json(200, { url: `https://store.example${request.url}`, sha256 })(request, response);
    });
    let tries = 0;
    const { code, stdout, stderr } = await call(
      [
        'submit',
        changes,
        '--ppa=a/b',
        '--series=bookworm',
        '--archive=debian',
        '--no-check',
      ].concat('--json'),
      {
        env: server.environment,
        fetch: (...given) => {
          if (new URL(given[0]).pathname.endsWith(TARBALL)) {
            tries += 1;
            spoil(join(directory, TARBALL));
          }
          return patientFetch(...given);
        },
      },
    );
    expect({ code, stdout, tries }).toEqual({ code: 2, stdout: '', tries: 1 });
    expect(stored).not.toContain(TARBALL);
    expect(stderr).toContain(`"code":"file_changed"`);
    expect(stderr).toContain(`${TARBALL} was not stored: ${said}.`);
  });
});
