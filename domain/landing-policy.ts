/** When nobody may land at a target. */
export type FreezeWindow = {
  /** RFC 3339, UTC. */
  from: string;
  until: string;
  why: string;
};

/** What a landing at a target has to fulfil. It is kept with the landing as it was when the landing was requested. */
export type LandingPolicy = {
  name: string;
  /** The policy's own text, as its file has it. */
  text: string;
  /** Whether a person has to approve: `when_needed` is where the tests do not pass by themselves. */
  approval: 'always' | 'when_needed' | 'never';
  /** Whoever requested the landing may not approve it. */
  fourEyes: boolean;
  /** The names of who may land and approve; empty: everybody whose token has the scope. */
  landers: string[];
  approvers: string[];
  /** The architectures that must have built; empty: those that the PPA builds. */
  architectures: string[];
  /** Whose tests are run: none, those of the changed sources, or those of what depends on them, too. */
  tests: 'none' | 'changed' | 'reverse_dependencies';
  testArchitectures: string[];
  /** More runs than this are not made: the landing then needs an approval. */
  maxTestRuns: number;
  /** How often a run is made anew that the test bed has failed. */
  testBedTries: number;
  /** Days after which a run without the landing's packages has to be made anew. */
  baselineMaxAgeDays: number;
  /** How often the tests are made anew because the target has changed. */
  staleTries: number;
  freezes: FreezeWindow[];
};
