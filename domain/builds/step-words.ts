/** The step of a build whose workflow itself fails, as where its worker's code does not fit its history. */
export const WORKFLOW_STEP = 'workflow';

/** The step of a build whose workflow cannot be started. */
export const START_STEP = 'start';

/** The step of a build of which somebody has paused an activity in Temporal. */
export const PAUSED_STEP = 'paused';

/** The step of a build whose PPA cannot be polled. */
export const WATCH_STEP = 'watchPpa';

/**
 * What the steps of a build do, as people read it; by the names of the activities, and of two steps that are not one.
 */
const WORDS: Readonly<Record<string, string>> = {
  [START_STEP]: 'The start of its workflow',
  [WORKFLOW_STEP]: 'Its workflow',
  [WATCH_STEP]: 'The poll of the PPA',
  watchBuilds: 'The poll of the PPA',
  joinWatch: 'The poll of the PPA',
  checkSources: 'The check of the sources',
  mergeProposal: 'The merge of the proposal',
  uploadSource: 'The upload',
  collectLogs: 'The collection of the logs',
  cancelBuilds: 'The cancellation in the PPA',
  retryBuilds: 'The retry in the PPA',
  reportProgress: 'The report of the progress',
};

/** A step of a build as people read it, at the beginning of a sentence: `The upload`. */
export function stepWords(step: string): string {
  return WORDS[step] ?? `The step ${step}`;
}

/** What is wrong with a step: `The upload fails`. */
export function failureWords(step: string): string {
  return step === PAUSED_STEP ? 'A step is paused' : `${stepWords(step)} fails`;
}

/** What is wrong with a step, and how often it was tried: `The upload fails, 7 tries`. */
export function failingStepText({ step, tries }: { step: string; tries: number }): string {
  return `${failureWords(step)}, ${tries} ${tries === 1 ? 'try' : 'tries'}`;
}
