import type { Config } from '../../main/config/config.ts';
import type { Directories } from '../../main/embedded/directories.ts';
import type { Addresses } from '../../main/embedded/environment.ts';
import type { Part, Service } from '../../main/embedded/part.ts';
import type { Account } from '../../main/embedded/unprivileged-user.ts';
import type { Strike } from './blows.ts';
import type { RunningPart } from './part-runner.ts';

/** What a site is given to put the stack's parts in place. */
type Ground = {
  config: Config;
  directories: Directories;
  account: Account | undefined;
  projectDir: string;
  /** Of every process of ours. */
  environment: Readonly<Record<string, string>>;
  addresses: Addresses;
};

/** Where the parts of a stack run: all on this machine, or each on one of its own. */
export type Site = {
  workers: number;
  apiUrls: readonly [string, string];
  /** The address at which parts reach the lander. */
  landerHost: string;
  /** The variables with which every part of ours finds the others, those for AWS's packages included. */
  variables: Record<string, string>;
  /** Those of the first and the second API beside them. */
  apiVariables: readonly [Record<string, string>, Record<string, string>];
  /** The parts that are not of ours, save those that `planParts` plans. */
  otherParts(ground: Ground): Part[];
  /** A service as it runs at its place. */
  placed(service: Service): Service;
  /** A token for the lander, where the APIs ask for one. */
  token(databaseUrl: string): Promise<string | undefined>;
  /** What blows fall on. @param parts that run, by name */
  victims(parts: ReadonlyMap<string, RunningPart>): Map<string, RunningPart>;
  strike: Strike;
  close(): Promise<void>;
};
