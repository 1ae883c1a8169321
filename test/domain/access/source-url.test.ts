import {
  addressesOf,
  sourceUrlProblem,
  type SourceUrlRule,
} from '../../../domain/access/source-url.ts';

const RULE: SourceUrlRule = {
  hosts: [
    '127.0.0.1',
    'localhost',
    'store.example.org',
    'cache.example.org:8443',
    '127.0.0.1:5433',
  ],
  refusedPorts: [8080, 5433, 7233],
  storeUrl: 'http://127.0.0.1:8080/store/',
  formerStoreUrls: ['https://former.example.org/store'],
};

describe('the rule for URLs that are fetched for callers', () => {
  it.each([
    'http://127.0.0.1:9999/hello_1.0.dsc',
    'http://localhost/hello_1.0.dsc',
    'https://store.example.org/a/b',
    'https://store.example.org:8080/a/b',
    'https://STORE.example.org/a/b',
    'https://cache.example.org:8443/a',
    'http://127.0.0.1:8080/store/builds/7/log',
    'https://former.example.org/store/builds/7/log',
    'http://127.1:9999/a',
    'http://127.0.0.1:5433/named-with-its-port',
  ])('lets %s through', (url) => {
    expect(sourceUrlProblem(url, RULE)).toBeUndefined();
  });

  it.each([
    ['hello', 'not a URL'],
    ['file:///etc/passwd', 'not http'],
    ['ftp://127.0.0.1/a', 'not http'],
    ['http://user@127.0.0.1/a', 'user name'],
    ['http://127.0.0.1@example.org/a', 'user name'],
    ['http://example.org/a', 'allow-list'],
    ['http://127.0.0.1.example.org/a', 'allow-list'],
    ['http://store.example.org.evil.example/a', 'allow-list'],
    ['https://cache.example.org/a', 'allow-list'],
    ['http://[::1]/a', 'allow-list'],
    ['https://former.example.org/storehouse', 'allow-list'],
    ['https://former.example.org/store/../api/v1/ticket/', 'allow-list'],
    ['http://0.0.0.0/a', 'allow-list'],
    ['http://169.254.169.254/latest/meta-data', 'allow-list'],
    ['http://127.0.0.1:8080/api/v1/ticket/', 'Airline itself'],
    ['http://127.0.0.1:8080/store/../api/v1/ticket/', 'Airline itself'],
    ['http://127.0.0.1:8080/store/%2e%2e/api/v1/ticket/', 'Airline itself'],
    ['http://127.0.0.1:8080/storehouse', 'Airline itself'],
    ['http://localhost:7233/', 'Airline itself'],
    ['http://2130706433:7233/', 'Airline itself'],
  ])('refuses %s: %s', (url, why) => {
    expect(sourceUrlProblem(url, RULE)?.why).toContain(why);
  });
});

describe('the addresses of a file', () => {
  const STORES = ['https://now.example/store', 'https://former.example/store'];

  it.each(STORES)('are all of the data store for one below %s', (store) => {
    expect(addressesOf(`${store}/uploads/x/a.dsc`, STORES)).toEqual([
      'https://now.example/store/uploads/x/a.dsc',
      'https://former.example/store/uploads/x/a.dsc',
    ]);
  });

  it.each(['https://else.example/store/a.dsc', 'https://former.example/storehouse/a.dsc'])(
    'are its own for %s, which is elsewhere',
    (url) => {
      expect(addressesOf(url, STORES)).toEqual([url]);
    },
  );
});
