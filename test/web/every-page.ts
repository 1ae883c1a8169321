import { SCOPES, type Scope } from '../../domain/access/access.ts';
import type { Page } from 'playwright-core';
import { createWorld } from '../support/world.ts';
import type { Web } from './browse.ts';
import { tellPool } from './landing-story.ts';

/** An address of each page, and of what a page is shown for, by what that is. */
export const EVERY_PAGE: Readonly<Record<string, (web: Web) => string>> = {
  'the front page': () => '/',
  tickets: () => '/tickets',
  builds: () => '/builds',
  'a ticket under way': ({ story }) => `/ticket/${story.ticket.landing}`,
  'a build that failed': ({ story }) => `/build/${story.build.failed}`,
  'a build under way': ({ story }) => `/build/${story.build.running}`,
  landings: () => '/landings',
  'a ticket whose landing waits for a person': ({ story }) => `/ticket/${story.landed.approving}`,
  'the pool of PPAs': () => '/pool',
  packages: () => '/packages',
  'a package': () => '/package/hello',
  status: () => '/status',
  workers: () => '/workers',
  help: () => '/help',
  people: () => '/people',
  projects: () => '/projects',
  branches: () => '/branches',
  'merge proposals': () => '/proposals',
  history: () => '/history',
  tokens: () => '/tokens',
};

const TOKENS: readonly (readonly [string, Scope[]])[] = [
  ['lander', ['read', 'ticket:write', 'build:write']],
  ['ann@example.com', ['read', 'admin']],
];
const DAY_MS = 86_400_000;

/** Adds what else the pages show, beside the story: people, projects, branches, proposals, a pool and tokens. */
export async function fillEveryPage(web: Web): Promise<void> {
  await tellPool(web.api.database.sequelize, Date.now());
  const world = createWorld({ now: web.api });
  const people: string[] = [];
  for (const name of ['Ann', 'Ben']) {
    const person = await world.person({ name, email: `${name.toLowerCase()}@example.com` });
    people.push(person.resource_uri);
  }
  const [ann, ben] = people;
  const project = await world.project({
    name: 'rocket',
    display_name: 'The rocket',
    description: 'Computes orbits.',
    maintainer: ann,
    contact: ben,
  });
  await world.mergeProposal({
    branch: {
      unique_name: '~ben/rocket/double-precision',
      owner: ben,
      type: 'regular',
      project: project.resource_uri,
    },
    submitter: ben,
    hosting_weblink: 'https://git.example/rocket/merges/1',
  });
  for (const [name, scopes] of TOKENS)
    await web.api.database.AccessToken.issue(
      { name, scopes },
      { defaultMs: DAY_MS, maxMs: DAY_MS },
      { actor: 'ann@example.com', requestId: undefined },
    );
}

const NAME = `${'a-long-name'.repeat(5)}@example.com`;

/**
 * Has a page believe that somebody has signed in, with a long name and every scope, at an API that asks
 * nobody: what a session really is, `sign-in.test.ts` has.
 */
export async function signedIn(page: Page): Promise<void> {
  await page.route('**/api/v1/session/', (route) =>
    route.fulfill({ json: { authentication: 'token', name: NAME, scopes: SCOPES } }),
  );
}
