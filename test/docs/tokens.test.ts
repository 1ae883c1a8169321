import { readFileSync } from 'node:fs';
import { OPERATIONS } from '../../api/operations.ts';

/** What whoever submits calls, with `airline submit` or as docs/lander.md has it. */
const OF_A_LANDER = [
  'put /store/{key}',
  'post /api/v1/ticket/bundle/',
  'post /api/v1/build_source',
  'get /api/v1/build/{id}/',
];
const needed = OPERATIONS.filter(({ method, path }) => OF_A_LANDER.includes(`${method} ${path}`));

/** The scopes of each token that a text has made, whether they are listed or named one by one. */
const tokensOf = (text: string) =>
  [...text.matchAll(/airline token create (.*)/g)].map(([, options = '']) =>
    [...options.matchAll(/--scope ([\w:,]+)/g)].flatMap(([, scopes = '']) => scopes.split(',')),
  );

it.each(['docs/cli.md', 'docs/operations.md', 'web/pages/sign-in-page.tsx'])(
  'who builds with a token that %s has made can also submit what is built',
  (text) => {
    expect(needed).toHaveLength(OF_A_LANDER.length);
    const builders = tokensOf(readFileSync(text, 'utf8')).filter((scopes) =>
      scopes.includes('build:write'),
    );
    expect(builders).not.toHaveLength(0);
    for (const scopes of builders)
      expect(scopes).toEqual(expect.arrayContaining(needed.map(({ scope }) => scope)));
  },
);
