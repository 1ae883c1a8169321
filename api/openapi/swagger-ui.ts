import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Content } from '../http/answer-content.ts';
import { contentEtag } from '../http/content-etag.ts';

/** The package is found, but not loaded: its code is for browsers. */
const PACKAGE = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Airline: the API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

// Without validatorUrl the page would send the address of the document to a service on the internet.
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  validatorUrl: null,
});
`;

type Source = { readonly mediaType: string; readonly read: () => Buffer };

const FILES: Readonly<Record<string, Source>> = {
  'index.html': { mediaType: 'text/html; charset=utf-8', read: () => Buffer.from(PAGE) },
  'start.js': { mediaType: 'text/javascript; charset=utf-8', read: () => Buffer.from(START) },
  'swagger-ui-bundle.js': ofPackage('text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
  'swagger-ui.css': ofPackage('text/css; charset=utf-8', 'swagger-ui.css'),
  'favicon-32x32.png': ofPackage('image/png', 'favicon-32x32.png'),
};

/** The names of the files of the page. */
export const PAGE_FILES: readonly string[] = Object.keys(FILES);

/** What the page may load and do: nothing from elsewhere, no code and no style in the page itself. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const known = new Map<string, Content>();

/**
 * A file of the page that shows the OpenAPI document to people, by its name; undefined: there is no such file. It is
 * read once: it never changes.
 */
export function pageFile(name: string): Content | undefined {
  if (!Object.hasOwn(FILES, name)) return undefined;
  const source = FILES[name];
  const already = known.get(name);
  if (already || !source) return already;
  const bytes = source.read();
  const file = { mediaType: source.mediaType, bytes, etag: contentEtag(bytes) };
  known.set(name, file);
  return file;
}

function ofPackage(mediaType: string, name: string): Source {
  return { mediaType, read: () => readFileSync(join(PACKAGE, name)) };
}
