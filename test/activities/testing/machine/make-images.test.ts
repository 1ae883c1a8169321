import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readMirrors } from '../../../../activities/testing/machine/apt-sources.ts';
import { makeBase, makeLanding } from '../../../../activities/testing/machine/make-images.ts';
import { ImageProblem } from '../../../../activities/testing/test-machine.ts';
import { unprivilegedUser } from '../../../../main/embedded/unprivileged-user.ts';
import { readMachine, type Machine } from '../../../../sandbox/machine.ts';
import { createUnprivileged } from '../../../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

// The machine may be busy.
const LIMIT_MS = 900_000;
jest.setTimeout(1_200_000);

const execute = promisify(execFile);
const unprivileged = createUnprivileged(unprivilegedUser(() => undefined, 'airline-test'));
const SNOOP = { name: 'snoop', version: '1.0' };

let directory: string;
let place: Machine;

beforeAll(async () => {
  place = await readMachine();
  directory = temporaryDirectory();
});
afterAll(() => unprivileged.removeDirectory(directory));

const bounds = () => ({
  signal: new AbortController().signal,
  timeoutMs: LIMIT_MS,
  killAfterMs: 5_000,
  onOutput: () => undefined,
  memoryBytes: 2 ** 31,
  groups: undefined,
  fileBytes: 2 ** 30,
  roomBytes: 0,
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(directory, 'run-'));
  await execute('chmod', ['755', folder]);
  return folder;
}

it('no image is made once the disk is nearly full, and the error says so', async () => {
  const mirrors = await readMirrors(place, { mirror: undefined, repositoryOf: () => '' });
  const making = makeBase(
    await makeFolder(),
    place,
    { mirrors, unprivileged },
    {
      ...bounds(),
      roomBytes: 2 ** 30,
      readDisk: async () => ({ bavail: 2 ** 10, bsize: 4_096, files: 1_000, ffree: 1_000 }),
    },
  );
  await expect(making).rejects.toThrow(ImageProblem);
  await expect(making).rejects.toThrow('The disk of the tester was nearly full');
});

describe('the image of a landing, beside a test that has left its chroot', () => {
  let folder: string;
  let own: string;
  let victim: string;
  beforeEach(async () => {
    folder = await makeFolder();
    own = join(folder, 'own');
    victim = await mkdtemp(join(directory, 'victim-'));
  });

  /** Makes the image; `run` does what derive-image.sh would. */
  const make = (
    run: () => Promise<void>,
    plant: () => Promise<void> = async () => undefined,
    signal = new AbortController().signal,
  ) =>
    makeLanding(
      folder,
      'base.tar.zst',
      {
        distribution: place.distribution,
        series: place.series,
        target: null,
        ppa: { owner: 'me', distribution: place.distribution, name: 'test' },
        ppaSeries: place.series,
        isAlone: true,
        binaries: [SNOOP],
      },
      {
        repository: 'http://127.0.0.1:1/ppa',
        key: 'the key',
        mirrors: { addresses: [], upstreamOf: () => undefined },
        unprivileged: {
          ...unprivileged,
          async makeDirectory(path) {
            await mkdir(path);
            await plant();
          },
          async run() {
            await run();
            return { exitCode: 0, wasKilled: false };
          },
        },
      },
      { ...bounds(), signal },
    );

  it('writes nothing where links of that test lead', async () => {
    const plant = async () => {
      await symlink(victim, join(own, 'overlay'));
      await symlink(join(victim, 'names'), join(own, 'names'));
    };
    const enough = new Error('enough');
    const making = make(async () => undefined, plant, AbortSignal.abort(enough));
    await expect(making).rejects.toBe(enough);
    expect(await readdir(victim)).toEqual([]);
  });

  it('is what was made, whatever that test puts in its place afterwards', async () => {
    const image = join(own, 'image.tar.zst');
    const { path } = await make(() => writeFile(image, 'made'));
    await rm(image, { force: true });
    await symlink('/etc/hostname', image);
    expect(await readFile(path, 'utf8')).toBe('made');
  });

  it.each([
    ['a link', (file: string, image: string) => symlink(file, image)],
    ['a name of a file that has another one', (file: string, image: string) => link(file, image)],
  ])('is not made where %s stands in its place', async (_, put) => {
    const file = join(victim, 'secret');
    await writeFile(file, 'of root');
    await expect(make(() => put(file, join(own, 'image.tar.zst')))).rejects.toThrow(
      'The image is no file.',
    );
  });
});
