import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of the page that shows the OpenAPI document to people. */
export type PageFile = { readonly mediaType: string; readonly content: Buffer };

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

type Source = { readonly mediaType: string; readonly read: () => Promise<Buffer> };

const FILES: Readonly<Record<string, Source>> = {
  'index.html': { mediaType: 'text/html; charset=utf-8', read: async () => Buffer.from(PAGE) },
  'start.js': { mediaType: 'text/javascript; charset=utf-8', read: async () => Buffer.from(START) },
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

/** A file of the page by its name; undefined: there is no such file. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  if (!Object.hasOwn(FILES, name)) return undefined;
  const source = FILES[name];
  return source && { mediaType: source.mediaType, content: await source.read() };
}

function ofPackage(mediaType: string, name: string): Source {
  return { mediaType, read: () => readFile(join(PACKAGE, name)) };
}
