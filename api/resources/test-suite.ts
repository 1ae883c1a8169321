import { MAX_LONG_TEXT, optionalReference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { sourcePackage } from './source-package.ts';

export const testSuite = resource({
  name: 'testsuite',
  summary: 'Tests that are run for tickets, such as the DEP-8 tests of a source package.',
  aliases: ['testsuites'],
  model: 'TestSuite',
  fields: {
    name: text({ default: '', help: 'What it is called.' }),
    description: text({ maxLength: MAX_LONG_TEXT, default: '', help: 'What it tests.' }),
    sourcepackage: optionalReference(sourcePackage, 'sourcePackageId', {
      help: 'The source package that has the tests.',
    }),
  },
  filters: ['name', 'sourcepackage'],
  orders: ['name'],
  writeScope: 'ticket:write',
});
