import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startSharedStack, stopSharedStack } from '../support/stack/shared-stack.ts';
import { serveWeb, settled, type Look, type Web } from './browse.ts';
import { tellPool } from './landing-story.ts';

// Takes pictures of the pages, filled with the story, into docs/pages/ or where it is told
// (`npm run docs:pages [folder]`).

const SHOWN: readonly { name: string; look: Look; path: (web: Web) => string }[] = [
  { name: 'tickets', look: {}, path: () => '/tickets' },
  { name: 'ticket', look: {}, path: ({ story }) => `/ticket/${story.ticket.landing}` },
  { name: 'build-under-way', look: {}, path: ({ story }) => `/build/${story.build.running}` },
  { name: 'build-failed', look: {}, path: ({ story }) => `/build/${story.build.failed}` },
  {
    name: 'build-failed-dark',
    look: { scheme: 'dark' },
    path: ({ story }) => `/build/${story.build.failed}`,
  },
  {
    name: 'build-failed-narrow',
    look: { width: 390 },
    path: ({ story }) => `/build/${story.build.failed}`,
  },
  {
    name: 'landing-approving',
    look: {},
    path: ({ story }) => `/ticket/${story.landed.approving}`,
  },
  {
    name: 'landing-approving-narrow',
    look: { width: 390, scheme: 'dark' },
    path: ({ story }) => `/ticket/${story.landed.approving}`,
  },
  { name: 'landing-queued', look: {}, path: ({ story }) => `/ticket/${story.landed.queued}` },
  { name: 'pool', look: {}, path: () => '/pool' },
  { name: 'pool-narrow', look: { width: 390, scheme: 'dark' }, path: () => '/pool' },
  { name: 'package', look: {}, path: () => '/package/hello' },
  { name: 'status', look: {}, path: () => '/status' },
  { name: 'status-dark', look: { scheme: 'dark' }, path: () => '/status' },
];

const folder = process.argv[2] ?? 'docs/pages';
await mkdir(folder, { recursive: true });
try {
  await startSharedStack();
  const web = await serveWeb();
  await tellPool(web.api.database.sequelize, Date.now());
  try {
    for (const { name, look, path } of SHOWN) {
      const { page, go, context } = await web.open(look);
      await go(path(web));
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
      await context.close();
    }
  } finally {
    await web.close();
  }
} finally {
  await stopSharedStack();
}
