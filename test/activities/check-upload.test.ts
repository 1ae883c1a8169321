import { checkUpload } from '../../activities/check-upload.ts';
import { createPpaClient } from '../../ppa/client.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { keepLog, runActivity } from './activity.ts';

const TARGET = { ppa: { owner: 'me', distribution: 'debian', name: 'test' }, series: 'bookworm' };
const STRANGER = '0123456789ABCDEF0123456789ABCDEF01234567';
const { logger } = keepLog();

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn();
});
afterAll(() => standIn.close());

const client = () => createPpaClient({ rootUrl: standIn.webUrl, timeoutMs: 60_000, logger });
const check = (
  input: Partial<Parameters<ReturnType<typeof checkUpload>>[0]>,
  signing = false,
  ppaClient = client(),
) =>
  runActivity(
    checkUpload({
      logger,
      ppaClient,
      signing: signing ? { keyId: 'x', gnupgHome: null } : null,
    }),
    { ...TARGET, packages: [], ...input },
  );
const source = (name: string, version: string, key?: string) => ({
  source: name,
  version,
  files: [{ name: `${name}_${version}.tar.xz`, sha256: '0'.repeat(64) }],
  isSigned: true,
  signer: { key: key ?? standIn.key.fingerprint, email: null },
});

describe('the check of an upload that is not stored yet', () => {
  it('finds nothing where the PPA would take it', async () => {
    expect(await check({ packages: [source('hello', '1.0')] })).toEqual([]);
  });

  it('tells what is wrong with each package, with what to do', async () => {
    const there = await standIn.make({ name: 'there', version: '2.0' });
    await standIn.upload(there.files);
    await standIn.publication(there);

    const problems = await check({
      packages: [
        source('there', '1.0'),
        source('fine', '1.0'),
        source('strange', '1.0', STRANGER),
        { ...source('unsigned', '1.0'), isSigned: false },
      ],
    });

    expect(problems).toMatchObject([
      {
        code: 'version_not_higher',
        source: 'there',
        message: expect.stringContaining('there 1.0 is not higher than 2.0, P'),
        hint: expect.stringContaining('give the package a higher version'),
      },
      {
        code: 'key_not_registered',
        source: 'strange',
        message: expect.stringContaining(STRANGER),
      },
      { code: 'not_signed', source: 'unsigned', message: 'unsigned 1.0 is not signed' },
    ]);
  });

  it('searches for a signer once, however many packages they signed', async () => {
    const ppaClient = client();
    const getOwner = jest.spyOn(ppaClient, 'getOwner');
    const packages = [source('a', '1.0'), source('b', '1.0'), source('c', '1.0', STRANGER)];
    expect(await check({ packages }, false, ppaClient)).toHaveLength(1);
    expect(getOwner).toHaveBeenCalledTimes(2);
  });

  it('asks for no signature where the worker signs', async () => {
    const { signer, ...unsigned } = source('unsigned', '1.0');
    expect(
      await check({ packages: [{ ...unsigned, isSigned: false }] }, signer !== undefined),
    ).toEqual([]);
  });

  it('tells first that the series does not exist', async () => {
    expect(await check({ series: 'zesty', packages: [source('hello', '1.0')] })).toEqual([
      expect.objectContaining({ code: 'series_not_open', source: null }),
    ]);
  });
});
