import { resource } from '../rest/declare-resource.ts';

export const testSuite = resource({
  name: 'testsuite',
  summary: 'A test suite. The specification gives it no fields yet.',
  aliases: ['testsuites'],
  model: 'TestSuite',
  fields: {},
  filters: [],
  orders: [],
  writeScope: 'ticket:write',
});
