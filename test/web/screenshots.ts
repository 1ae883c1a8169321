import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startSharedStack, stopSharedStack } from '../support/stack/shared-stack.ts';
import { serveWeb, settled, type Look, type Web } from './browse.ts';
import { fillEveryPage } from './every-page.ts';
import { tellMany, type ManyStory } from './many-story.ts';

// Takes pictures of the pages, filled with the story, into docs/pages/ or where it is told
// (`npm run docs:pages [folder]`).

type Shown = { name: string; look?: Look; path: (of: Told) => string };
type Told = Web['story'] & { many: ManyStory };

const NARROW: Look = { width: 390 };
const DARK: Look = { scheme: 'dark' };

const SHOWN: readonly Shown[] = [
  { name: 'home', path: () => '/' },
  { name: 'home-narrow', look: NARROW, path: () => '/' },
  { name: 'tickets', path: () => '/tickets' },
  { name: 'ticket', path: ({ ticket }) => `/ticket/${ticket.landing}` },
  { name: 'ticket-many', path: ({ many }) => `/ticket/${many.ticket}` },
  { name: 'builds', path: () => '/builds' },
  { name: 'builds-dark', look: DARK, path: () => '/builds' },
  { name: 'builds-narrow', look: NARROW, path: () => '/builds?show=failed' },
  { name: 'build-under-way', path: ({ build }) => `/build/${build.running}` },
  { name: 'build-waits', path: ({ build }) => `/build/${build.dependencyWait}` },
  { name: 'build-troubled', path: ({ build }) => `/build/${build.troubled}` },
  { name: 'build-failed', path: ({ build }) => `/build/${build.failed}` },
  { name: 'build-failed-dark', look: DARK, path: ({ build }) => `/build/${build.failed}` },
  { name: 'build-failed-narrow', look: NARROW, path: ({ build }) => `/build/${build.failed}` },
  { name: 'build-completed', path: ({ build }) => `/build/${build.completed}` },
  { name: 'build-cancelled', path: ({ build }) => `/build/${build.cancelled}` },
  { name: 'build-many', path: ({ many }) => `/build/${many.ended}` },
  { name: 'build-many-under-way', path: ({ many }) => `/build/${many.underWay}` },
  { name: 'build-many-narrow', look: NARROW, path: ({ many }) => `/build/${many.ended}` },
  { name: 'landings', path: () => '/landings' },
  { name: 'landing-approving', path: ({ landed }) => `/ticket/${landed.approving}` },
  {
    name: 'landing-approving-narrow',
    look: { ...NARROW, ...DARK },
    path: ({ landed }) => `/ticket/${landed.approving}`,
  },
  { name: 'landing-queued', path: ({ landed }) => `/ticket/${landed.queued}` },
  { name: 'pool', path: () => '/pool' },
  { name: 'packages', path: () => '/packages' },
  { name: 'package', path: () => '/package/hello' },
  { name: 'people', path: () => '/people' },
  { name: 'projects', path: () => '/projects' },
  { name: 'branches', path: () => '/branches' },
  { name: 'proposals', path: () => '/proposals' },
  { name: 'history', path: () => '/history' },
  { name: 'tokens', path: () => '/tokens' },
  { name: 'workers', path: () => '/workers' },
  { name: 'workers-narrow', look: NARROW, path: () => '/workers' },
  { name: 'help', path: () => '/help' },
  { name: 'status', path: () => '/status' },
  { name: 'status-dark', look: DARK, path: () => '/status' },
  { name: 'not-found', path: () => '/nowhere' },
];

const folder = process.argv[2] ?? 'docs/pages';
await mkdir(folder, { recursive: true });
try {
  await startSharedStack();
  const web = await serveWeb({}, { hasLongLog: true });
  const { sequelize } = web.api.database;
  await fillEveryPage(web);
  const told = { ...web.story, many: await tellMany(sequelize, web.store, Date.now()) };
  try {
    for (const { name, look, path } of SHOWN) {
      const { page, go, close } = await web.open(look);
      await go(path(told));
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
      await close();
    }
  } finally {
    await web.close();
  }
} finally {
  await stopSharedStack();
}
