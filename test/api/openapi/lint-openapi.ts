import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

// Reads an OpenAPI document from standard input and writes what is wrong with it, a line for each problem.
// A process of its own: the linter is an ES module, which Jest cannot load.

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Addresses of Tastypie end in a slash.
    'no-path-trailing-slash': 'off',
    // Tastypie's set/1;3/ and schema/ beside {id}: an id is a number.
    'no-ambiguous-paths': 'off',
  },
});
const source = await text(process.stdin);
for (const { ruleId, message, location } of await lintFromString({
  source,
  absoluteRef: 'openapi.json',
  config,
}))
  console.log(`${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
