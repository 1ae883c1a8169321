import { resource } from '../rest/resource.ts';

export const testSuite = resource({
  name: 'testsuite',
  summary: 'A test suite. The specification gives it no fields yet.',
  aliases: ['testsuites'],
  model: (database) => database.TestSuite,
  fields: {},
  filters: [],
  orders: [],
  writeScope: 'ticket:write',
});
