import { aptProxy, DIRECT_LOOPBACK } from '../../../../activities/testing/machine/apt-proxy.ts';

const HTTP = 'Acquire::http::Proxy "http://proxy.example:3128";';
const HTTPS = 'Acquire::https::Proxy "http://secure.example:3129/";';
const DIRECT = 'Acquire::http::Proxy::mirror.example "DIRECT";';

it.each<[string, string[], string, string | undefined]>([
  ['without a proxy, nothing', [], 'http://mirror.example/', undefined],
  ['one of http', [HTTP], 'http://mirror.example/', 'http://proxy.example:3128'],
  ['one of http for https, too', [HTTP], 'https://mirror.example/', 'http://proxy.example:3128'],
  ['one of https', [HTTP, HTTPS], 'https://mirror.example/', 'http://secure.example:3129/'],
  ['that of https not for http', [HTTPS], 'http://mirror.example/', undefined],
  ['none for a host that is direct', [HTTP, DIRECT], 'http://mirror.example/x', undefined],
  ['none for it by https, either', [HTTP, HTTPS, DIRECT], 'https://mirror.example/x', undefined],
  ['one for other hosts', [HTTP, DIRECT], 'http://other.example/', 'http://proxy.example:3128'],
  [
    'that of the host alone',
    ['Acquire::http::Proxy "";', 'Acquire::http::Proxy::mirror.example "http://own.example/";'],
    'http://mirror.example/',
    'http://own.example/',
  ],
  ['none where it is direct', ['Acquire::http::Proxy "DIRECT";'], 'http://a.example/', undefined],
  [
    'nothing by what finds one',
    ['Acquire::http::Proxy-Auto-Detect "/usr/bin/find-proxy";'],
    'http://mirror.example/',
    undefined,
  ],
])('apt fetches by %s', (_, options, url, proxy) => {
  expect(aptProxy(options)(new URL(url))).toBe(proxy);
});

it.each(['http://127.0.0.1:8085/apt/me/test', 'http://localhost:8085/', 'https://127.0.0.1/'])(
  'no proxy is asked for what is on this machine: %s',
  (url) => {
    expect(aptProxy([HTTP, ...DIRECT_LOOPBACK])(new URL(url))).toBeUndefined();
  },
);
