import { z } from 'zod';
import { IMAGE_FORMATS, IMAGE_KINDS } from '../../domain/testing/image.ts';
import { readOnlyResource } from '../rest/declare-resource.ts';
import { readOnly } from '../rest/fields.ts';

const binarySchema = z
  .object({
    name: z.string().meta({ description: 'The name of the package.' }),
    version: z.string().meta({ description: 'Its version.' }),
  })
  .meta({ title: 'image_package' });

/** A root file system that tests run in. Testers make them. */
export const image = readOnlyResource({
  name: 'image',
  summary: 'A root file system that tests run in; testers make them.',
  model: 'Image',
  fields: {
    kind: readOnly({
      schema: z.enum(IMAGE_KINDS),
      help: 'base: of archives alone; landing: with the packages of a landing in place of older ones.',
    }),
    distribution: readOnly({ help: 'The distribution.' }),
    series: readOnly({ help: 'The series.' }),
    architecture: readOnly({ help: 'The architecture.' }),
    target: readOnly({
      schema: z.string().nullable(),
      help: 'The PPA, a target of landings, that it is made of besides the mirrors; null where it is the mirrors alone.',
    }),
    format: readOnly({ schema: z.enum(IMAGE_FORMATS), help: 'The format of its file.' }),
    base_image_id: readOnly({
      kind: 'integer',
      schema: z.int().nullable(),
      help: 'The id of the image that it is made of; null for a base image.',
    }),
    releases: readOnly({
      kind: 'json',
      schema: z.record(z.string(), z.string()),
      help: 'The SHA-256 of each InRelease file of the archives that it is made of.',
    }),
    binaries: readOnly({
      kind: 'json',
      schema: z.array(binarySchema),
      help: 'The binary packages of the landing; none for a base image.',
    }),
    sha256: readOnly({ help: 'The SHA-256 of its file.' }),
    size: readOnly({ kind: 'integer', schema: z.int(), help: 'The size of its file in bytes.' }),
    url: readOnly({ help: 'The URL of its file.' }),
    manifest_url: readOnly({ help: 'The URL of the list of its packages with their versions.' }),
  },
  filters: ['kind', 'distribution', 'series', 'architecture', 'target', 'base_image_id', 'sha256'],
  orders: ['kind', 'series', 'architecture'],
});
