import { pageFile } from '../../../api/openapi/swagger-ui.ts';
import { useApi } from '../serve.ts';

const api = useApi();

/** The addresses that a text names, as a browser takes them from HTML. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, address]) => address ?? []);
}

describe('Swagger UI', () => {
  it.each(['/docs', '/docs/'])('is at %s, with all that it loads from here', async (path) => {
    const page = await api.now.call('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const addresses = addressesIn(page.text);
    expect(addresses).toHaveLength(4);
    for (const address of addresses) {
      expect(address).toMatch(/^\/docs\//);
      expect(await api.now.call('GET', address)).toMatchObject({ status: 200 });
    }
  });

  it('runs no code but its own, and asks nobody else', async () => {
    const { headers, text } = await api.now.call('GET', '/docs/');
    const policy = headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/<script>|<style|style=| on\w+=/);
    expect((await api.now.call('GET', '/docs/start.js')).text).toContain('validatorUrl: null');
  });

  it('is kept by browsers while it is the same', async () => {
    const { headers } = await api.now.call('GET', '/docs/swagger-ui-bundle.js');
    const again = await api.now.call('GET', '/docs/swagger-ui-bundle.js', undefined, {
      'If-None-Match': headers.get('ETag') ?? '',
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each(['package.json', '..%2fpackage.json', '%2e%2e%2findex', 'constructor', 'swagger-ui.js'])(
    'has no file %s',
    async (name) => {
      expect((await api.now.call('GET', `/docs/${name}`)).status).toBe(404);
    },
  );

  it('is in memory once, however many read it slowly', () => {
    const first = pageFile('swagger-ui-bundle.js');
    expect(first?.bytes.length).toBeGreaterThan(1_000_000);
    expect(pageFile('swagger-ui-bundle.js')?.bytes).toBe(first?.bytes);
  });
});
