/** What the test run's stack tells the test files. */
export type StackAddresses = {
  amqpUrl: string;
  /** postgres://user:password@host:port/ without a database. */
  databaseServerUrl: string;
  databaseTemplate: string;
  temporalAddress: string;
  temporalUiUrl: string;
  workflowBundle: string;
  /** The machine's cache of chroots and programs, shared with `npm start`. */
  cacheDir: string;
  stateDir: string;
  /** TMPDIR of the tests; removed at the end of the test run. */
  temporaryDir: string;
};

/** Name of the variable in which the test run hands the addresses to its test files. */
export const ADDRESSES_VARIABLE = 'TEST_STACK_ADDRESSES';

/** `yes` in this variable: the test run has PostgreSQL alone. */
export const DATABASE_ONLY_VARIABLE = 'TEST_DATABASE_ONLY';

/** Everything that the test run's stack offers. */
export function stackAddresses(): StackAddresses {
  const value = process.env[ADDRESSES_VARIABLE];
  if (value === undefined)
    throw new Error(
      'This test needs the stack, which was not started for the chosen paths: see test/support/stack/shared-stack.ts.',
    );
  return JSON.parse(value) as StackAddresses;
}

/** The RabbitMQ node that all tests share: each test uses queues of its own. */
export const amqpUrl = (): string => stackAddresses().amqpUrl;

/** The Temporal server that all tests share: each test uses task queues and workflow ids of its own. */
export const temporalAddress = (): string => stackAddresses().temporalAddress;

/** The workflow bundle that ships, built anew for this test run. */
export const workflowBundle = (): string => stackAddresses().workflowBundle;
