import { readOnlyResource } from '../rest/declare-resource.ts';
import { readOnly } from '../rest/fields.ts';
import { z } from 'zod';

/** A person's word on a test that does not pass. It is never changed, and stays when it is no longer valid. */
export const testOverride = readOnlyResource({
  name: 'testoverride',
  summary: "A person's word on a test that does not pass.",
  model: 'TestOverride',
  fields: {
    source: readOnly({ help: 'The source package whose tests it is about.' }),
    test: readOnly({
      schema: z.string().nullable(),
      help: 'The name of the test; null: all tests of the source.',
    }),
    architecture: readOnly({
      schema: z.string().nullable(),
      help: 'The architecture; null: all of them.',
    }),
    reason: readOnly({ help: 'Why it does not count.' }),
    overridden_by: readOnly({ help: 'Who said so.' }),
    valid_until: readOnly({
      kind: 'datetime',
      schema: z.iso.datetime(),
      help: 'Until when it counts.',
    }),
  },
  filters: ['source', 'test', 'architecture', 'overridden_by', 'valid_until'],
  orders: ['source', 'valid_until'],
  methods: { list: ['get', 'post'], detail: ['get'] },
});
