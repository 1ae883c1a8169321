import { OPERATIONS } from '../../api/operations.ts';
import { ROUTED, SITE_MAP } from '../../web/site-map.ts';

const PATHS = SITE_MAP.map(({ path }) => path);

describe('the site map', () => {
  it('has every page that the API serves, but those of one thing and the sign-in', () => {
    const served = OPERATIONS.filter(
      ({ isOfWebUi, answers }) => isOfWebUi && answers[200]?.mediaType === 'text/html',
    ).map(({ path }) => path);
    const others = served.filter((path) => !PATHS.some((own) => own === path));
    expect(others.toSorted()).toEqual([
      '/build/{id}',
      '/package/{name}',
      '/sign-in',
      '/ticket/{id}',
    ]);
    expect(served).toEqual(expect.arrayContaining(PATHS));
  });

  it('has its links taken over by the router, with what they ask for', () => {
    for (const path of PATHS) expect(`${path}?offset=25#x`).toMatch(ROUTED);
    for (const path of ['/ticket/7#packages', '/build/7?log=a.log', '/package/hello', '/sign-in'])
      expect(path).toMatch(ROUTED);
  });

  it('leaves documents, the API and its files to the browser', () => {
    for (const path of ['/help/tutorial', '/docs/', '/api/v1/build/7/', '/store/a.log'])
      expect(path).not.toMatch(ROUTED);
  });
});
