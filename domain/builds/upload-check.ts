import type { ErrorCode } from '../errors.ts';
import type { Ppa } from '../packages/ppa.ts';
import type { DescribedPackage } from '../packages/source-file.ts';

/** What is to be uploaded, and where to. */
export type UploadCheck = {
  ppa: Ppa;
  series: string;
  packages: (DescribedPackage & {
    /** False where nobody has signed it yet. */
    isSigned: boolean;
  })[];
};

/** One reason for which a PPA would not take an upload. */
export type UploadProblem = {
  code: ErrorCode;
  /** What is wrong, naming both sides. */
  message: string;
  /** What to do about it. */
  hint: string;
  /** The source package; null: it is about none of them. */
  source: string | null;
};
