import type { AutopkgtestOutput } from '../../domain/testing/autopkgtest.ts';
import type { ImagePlace, InstalledPackage } from '../../domain/testing/image.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { Bounds, IsolatedEnd } from '../../sandbox/isolation.ts';
import { withTimeLimit } from '../../timing/time-limit.ts';

/** What goes along with all that a machine does. */
export type RunContext = {
  /** Ends it. */
  signal: AbortSignal;
  /** Takes what its programs print. */
  onOutput: (chunk: Buffer) => void;
};

/** What goes along with a test run besides. */
export type TestContext = RunContext & {
  /** Ends it, too: what it has left by then is its outcome. */
  deadline: AbortSignal;
  /** Is awaited once all that the tests need is there, right before they begin. */
  begin: () => Promise<void>;
};

/** An image on the machine's disk. */
export type MadeImage = {
  /** A `.tar.zst`; the caller removes its folder. */
  path: string;
  packages: InstalledPackage[];
  /** The SHA-256 of each InRelease that it is made from, by its address without the protocol. */
  releases: Record<string, string>;
};

/** An image that is in the data store. */
export type StoredImage = { url: string; sha256: string };

/** What a landing's image has beyond its base image. */
export type LandingLayer = {
  /** Of the base image, and so of the mirrors. */
  distribution: string;
  series: string;
  /** The PPA that the base image is made of besides the mirrors. */
  target: string | null;
  ppa: Ppa;
  /** What the PPA has them built for. */
  ppaSeries: string;
  /** Whether apt takes nothing of the PPA but these packages. */
  isAlone: boolean;
  /** The packages of the PPA, with the versions that are landed. */
  binaries: readonly InstalledPackage[];
};

/** What a machine is to test, and in which image. */
export type TestRequest = PackageVersion & {
  runId: number;
  /** Of a landing, or without its packages. */
  isBaseline: boolean;
  try: number;
  image: StoredImage;
  distribution: string;
  series: string;
  /** The PPA that the image is made of besides the mirrors. */
  target: string | null;
  /** The packages of the landing; what apt may fetch besides the archives'. */
  ppa: Ppa | undefined;
  landed: readonly InstalledPackage[];
  /** The run's folder. */
  directory: string;
  /** The path of the `.dsc`, in a folder with the source's other files and nothing else: tests find all of it. */
  dsc: string;
};

/** What is left of a run: the artifacts are a `.tar.gz`, null where there are none. */
export type TestOutcome = AutopkgtestOutput & { artifacts: string | null };

/** Makes images and runs tests in them: a machine with autopkgtest, or a script that says what comes of them. */
export type TestMachine = {
  /** What test runs name as their tester. */
  name: string;
  architecture: string;
  /** @throws ImageProblem */
  makeBase: (place: ImagePlace, context: RunContext) => Promise<MadeImage>;
  /** @throws ImageProblem */
  makeLanding: (base: StoredImage, layer: LandingLayer, context: RunContext) => Promise<MadeImage>;
  /**
   * Makes a squashfs file of an image: the same bytes of the same image. Undefined where none are wanted.
   *
   * @returns its path; the caller removes its folder
   * @throws ImageProblem
   */
  makeSquashfs: ((image: StoredImage, context: RunContext) => Promise<string>) | undefined;
  /**
   * Runs the tests of one source. What goes wrong within the run is part of the outcome.
   *
   * @throws ImageLost where its image cannot be had
   * @throws Error where the tests could not begin for something else, or the signal has ended them
   */
  runTest: (request: TestRequest, context: TestContext) => Promise<TestOutcome>;
  /** A folder of its own for what comes. Tests can enter it, and find of it what they need. */
  makeFolder: () => Promise<string>;
  removeFolder: (path: string) => Promise<void>;
  /** Removes what is of no use to a later process; nothing may run any more. */
  close: () => Promise<void>;
};

/** Why what was isolated was ended, where that is for the memory or the disk; undefined where it is not. */
export function whatRanOut(
  { ranOutOfMemory, ranOutOfDisk }: IsolatedEnd,
  what: string,
  { memoryBytes, roomBytes }: Pick<Bounds, 'memoryBytes' | 'roomBytes'>,
): string | undefined {
  if (ranOutOfMemory)
    return `${what} took more memory than the ${memoryBytes} bytes that a run may have (AIRLINE_TEST_MEMORY_BYTES).`;
  return ranOutOfDisk
    ? `The disk of the tester was nearly full: it had less than ${roomBytes} bytes left, half of AIRLINE_TEST_DISK_BYTES, or too few files for them.`
    : undefined;
}

/** An image could not be made; another try may help, unless its packages cannot be installed. */
export class ImageProblem extends Error {
  override readonly name = 'ImageProblem';
  /** apt finds no way to install the packages that it is to have. */
  readonly isUninstallable: boolean;

  constructor(
    message: string,
    { isUninstallable = false, ...options }: ErrorOptions & { isUninstallable?: boolean } = {},
  ) {
    super(message, options);
    this.isUninstallable = isUninstallable;
  }
}

/** The data store has an image no more, or another one: no other try gets it. */
export class ImageLost extends ImageProblem {}

/** Makes an image: the signal is that of its cancellation, and of an ImageProblem once the time for it is over. */
export function withinImageTime<T>(
  cancelled: AbortSignal,
  imageMs: number,
  make: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const reason = () => new ImageProblem(`The image took longer than ${imageMs} ms.`);
  return withTimeLimit({ ms: imageMs, signal: cancelled, reason }, make);
}

/** The ImageProblem that an error is, or that is why it was thrown; undefined of all others. */
export function imageProblemOf(error: unknown): ImageProblem | undefined {
  if (error instanceof ImageProblem) return error;
  // What a signal ends throws an AbortError, whose cause is the signal's reason.
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ImageProblem ? cause : undefined;
}
