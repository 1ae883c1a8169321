import type { UploadCheck, UploadProblem } from '../../../domain/builds/upload-check.ts';
import { until } from '../../support/until.ts';
import { useApi } from '../serve.ts';

const SHA256 = '0'.repeat(64);
const FINGERPRINT = '0123456789ABCDEF0123456789ABCDEF01234567';
const BODY = {
  ppa: 'ppa:me/test',
  archive: 'debian',
  series: 'bookworm',
  packages: [
    {
      source: 'hello',
      version: '2.10-3',
      files: [{ name: 'hello_2.10-3.dsc', sha256: SHA256, size: 812 }],
      signed_by: FINGERPRINT,
      changed_by: 'ann@example.com',
    },
  ],
};
const PROBLEM: UploadProblem = {
  code: 'version_not_higher',
  message: 'hello 2.10-3 is not higher than 2.10-4',
  hint: 'Give it a higher version.',
  source: 'hello',
};

let judge: (check: UploadCheck) => Promise<UploadProblem[]>;
const api = useApi({ checkUpload: (check) => judge(check) });
const ask = (body: object = BODY, headers?: Record<string, string>) =>
  api.now.call('POST', '/api/v1/check_upload', body, headers);

describe('POST /api/v1/check_upload', () => {
  it('answers what is wrong, after the PPA was asked about all of it', async () => {
    const seen: UploadCheck[] = [];
    judge = async (check) => {
      seen.push(check);
      return [PROBLEM];
    };

    const answer = await ask();

    expect([answer.status, answer.json]).toEqual([200, { problems: [PROBLEM] }]);
    expect(seen).toEqual([
      {
        ppa: { owner: 'me', distribution: 'debian', name: 'test' },
        series: 'bookworm',
        packages: [
          {
            source: 'hello',
            version: '2.10-3',
            files: [{ name: 'hello_2.10-3.dsc', sha256: SHA256 }],
            isSigned: true,
            signer: { key: FINGERPRINT, email: 'ann@example.com' },
          },
        ],
      },
    ]);
  });

  it.each([
    ['null for what is not signed', { signed_by: null }, false],
    ['nothing for what is signed by anybody', { signed_by: undefined }, true],
  ])('takes %s', async (_what, signature, isSigned) => {
    let seen: UploadCheck | undefined;
    judge = async (check) => {
      seen = check;
      return [];
    };

    const [one] = BODY.packages;
    const answer = await ask({ ...BODY, packages: [{ ...one, ...signature }] });

    expect(answer.json).toEqual({ problems: [] });
    expect(seen?.packages[0]).not.toHaveProperty('signer');
    expect(seen?.packages).toMatchObject([{ isSigned }]);
  });

  it('asks about the files that an upload leaves out, too', async () => {
    let seen: UploadCheck | undefined;
    judge = async (check) => {
      seen = check;
      return [];
    };

    const [one] = BODY.packages;
    const tarball = { name: 'hello_2.10.orig.tar.gz', sha256: SHA256 };
    const answer = await ask({ ...BODY, packages: [{ ...one, left_out: [tarball] }] });

    expect(answer.json).toEqual({ problems: [] });
    expect(seen?.packages).toMatchObject([
      { files: [{ name: 'hello_2.10-3.dsc' }], leftOut: [tarball] },
    ]);
  });

  it('takes PPA, archive and series as people type them', async () => {
    let seen: UploadCheck | undefined;
    judge = async (check) => {
      seen = check;
      return [];
    };

    await ask({ ...BODY, ppa: ' PPA:Me/Test', archive: 'Debian', series: ' Bookworm ' });

    expect(seen).toMatchObject({
      ppa: { owner: 'me', distribution: 'debian', name: 'test' },
      series: 'bookworm',
    });
  });

  it('refuses an archive that the PPA is not of', async () => {
    const answer = await ask({ ...BODY, ppa: '~me/ubuntu/test', archive: 'debian' });

    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_field' } });
    expect(answer.json.fields).toEqual({
      archive: ['~me/ubuntu/test is a PPA of ubuntu, not of debian.'],
    });
  });

  it('runs again when it is sent again: nothing is kept under its Idempotency-Key', async () => {
    let asked = 0;
    judge = async () => {
      asked += 1;
      return [];
    };

    const headers = { 'idempotency-key': '"once"' };
    await ask(BODY, headers);
    const answer = await ask(BODY, headers);

    expect([answer.status, asked]).toEqual([200, 2]);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
  });

  it('answers 503 where nobody could ask the PPA in time', async () => {
    judge = () => Promise.reject(new Error('Workflow execution timed out'));

    const answer = await ask();

    expect([answer.status, answer.json.code]).toEqual([503, 'check_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('asks about so many at once, and no more', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    judge = async () => {
      asked += 1;
      await gate;
      return [];
    };

    const running = [ask(), ask()];
    await until('two are asked about', () => asked === 2);
    const answer = await ask();
    release();

    expect([answer.status, answer.json.code]).toEqual([503, 'overloaded']);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ['a PPA that is none', { ppa: 'x' }, 'ppa'],
    ['no series', { series: undefined }, 'series'],
    ['no package', { packages: [] }, 'packages'],
    [
      'a file without its checksum',
      { packages: [{ ...BODY.packages[0], files: [{ name: 'a' }] }] },
      'packages',
    ],
    [
      'a file that is left out, without its checksum',
      { packages: [{ ...BODY.packages[0], left_out: [{ name: 'a' }] }] },
      'packages',
    ],
  ])('refuses %s', async (_what, wrong, field) => {
    const answer = await ask({ ...BODY, ...wrong });

    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_field']);
    expect(Object.keys(answer.json.fields)).toEqual([field]);
  });

  it('says everything that is wrong at once, as build_source does, and where it is', async () => {
    const wrong = { ...BODY.packages[0], version: undefined, files: [{ name: 'a/b' }] };
    const answer = await ask({ ppa: 'x', series: '../x', packages: [BODY.packages[0], wrong] });

    expect(answer.json.fields).toEqual({
      ppa: ['Enter ppa:owner/name, ~owner/ubuntu/name, owner/name or its address on Launchpad.'],
      series: ['Enter a name of lower-case letters, digits and + . -'],
      packages: [
        'packages.1.version: This field is required.',
        'packages.1.files.0.name: Enter a plain file name.',
        'packages.1.files.0.sha256: This field is required.',
      ],
    });
    expect(answer.json.error).toContain('packages: packages.1.version: This field is required.');
  });

  it('tells of a field the first hundred problems', async () => {
    const answer = await ask({ ...BODY, packages: Array.from({ length: 100 }, () => ({})) });

    expect(answer.json.fields.packages).toHaveLength(100);
  });
});
