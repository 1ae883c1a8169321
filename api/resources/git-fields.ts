import { z } from 'zod';
import { GIT_BRANCH } from '../../domain/tickets/project.ts';
import { MAX_URL_LENGTH, STORABLE } from '../rest/field-values.ts';
import { text } from '../rest/fields.ts';
import type { Field } from '../rest/resource.ts';

const NO_REPOSITORY = 'Enter an http or https URL without user name and password.';
const NO_BRANCH = 'Enter the name of a branch, of A-Z a-z 0-9 . _ / + = , % # -.';

/** The URL of a git repository, or empty. Whether its host is allowed is asked when it is built. */
export function gitRepository(options: { help: string }): Field<string, undefined> {
  return {
    ...text({ ...options, default: '' }),
    input: z
      .string({ error: NO_REPOSITORY })
      .max(MAX_URL_LENGTH, NO_REPOSITORY)
      .regex(STORABLE, NO_REPOSITORY)
      .refine((url) => url === '' || isRepositoryUrl(url), NO_REPOSITORY),
  };
}

/** The name of a git branch, or empty. */
export function gitBranch(options: { help: string }): Field<string, undefined> {
  return {
    ...text({ ...options, default: '' }),
    input: z
      .string({ error: NO_BRANCH })
      .refine((name) => name === '' || GIT_BRANCH.test(name), NO_BRANCH),
  };
}

function isRepositoryUrl(text: string): boolean {
  if (!/^https?:\/\/[!-[\]-~]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
