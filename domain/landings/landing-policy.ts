/** When nobody may land at a target. */
export type FreezeWindow = {
  /** RFC 3339, UTC. */
  from: string;
  until: string;
  why: string;
  /** The names of those who may land all the same. */
  exempt: string[];
};

/** Whether a person has to approve: `when_needed` is where the tests do not pass by themselves. */
export const APPROVALS = ['always', 'when_needed', 'never'] as const;

/** Whose tests are run: none, those of the changed sources, or those of what depends on them, too. */
export const TESTED = ['none', 'changed', 'reverse_dependencies'] as const;

/** What a landing at a target has to fulfil. It is kept with the landing as it was when its attempt was requested. */
export type LandingPolicy = {
  name: string;
  /** The policy's own text, as its file has it; empty of the default. */
  text: string;
  approval: (typeof APPROVALS)[number];
  /** Whoever requested the attempt may not approve it; a retry is a request, too. */
  fourEyes: boolean;
  /** The names of those who may land and approve; empty: everybody whose token has the scope. */
  landers: string[];
  approvers: string[];
  /** The architectures that must have built; empty: those that the PPA builds. */
  architectures: string[];
  tests: (typeof TESTED)[number];
  testArchitectures: string[];
  /** More runs than this are not made: the landing then needs an approval. */
  maxTestRuns: number;
  /** How often a run is made that the test bed fails, the first time included. */
  testBedTries: number;
  /** Days after which a run without the landing's packages has to be made anew. */
  baselineMaxAgeDays: number;
  /** How often the tests are made anew because the target has changed. */
  staleTries: number;
  freezes: FreezeWindow[];
};

/** Most `baselineMaxAgeDays` of a policy: an older run without the landing's packages is compared with nothing. */
export const MAX_BASELINE_AGE_DAYS = 365;

/** What holds where no file says otherwise, and for what the policy of a file leaves out. */
export const DEFAULT_LANDING_POLICY: LandingPolicy = {
  name: 'default',
  text: '',
  approval: 'always',
  fourEyes: false,
  landers: [],
  approvers: [],
  architectures: [],
  tests: 'reverse_dependencies',
  testArchitectures: ['amd64'],
  maxTestRuns: 200,
  testBedTries: 3,
  baselineMaxAgeDays: 30,
  staleTries: 2,
  freezes: [],
};

/** The freezes that hold for somebody. */
export function freezesFor({ freezes }: LandingPolicy, name: string): FreezeWindow[] {
  return freezes.filter(({ exempt }) => !exempt.includes(name));
}

/** The freeze that is on at a time. */
export function freezeAt(freezes: readonly FreezeWindow[], atMs: number): FreezeWindow | undefined {
  return freezes.find(({ from, until }) => Date.parse(from) <= atMs && atMs < Date.parse(until));
}
