import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { authorization, type Rest } from './rest.ts';
import { DEVELOPER, type SignedUpload } from './sign-upload.ts';

type Resource = { id: number; resource_uri: string };

/**
 * Puts the files of an upload into the data store.
 *
 * @param token for an API that asks for one
 * @returns their URLs
 */
export async function storeUpload(
  apiUrl: string,
  upload: SignedUpload,
  token?: string,
): Promise<string[]> {
  const urls: string[] = [];
  for (const name of upload.files) {
    const path = join(upload.directory, name);
    const url = `${apiUrl}/store/uploads/${upload.source}_${upload.version.replace(':', '-')}/${encodeURIComponent(name)}`;
    const { size } = await stat(path);
    const response = await fetch(url, {
      method: 'PUT',
      // Without it, Node reads all of a large file ahead into memory.
      body: Readable.toWeb(createReadStream(path), {
        strategy: { highWaterMark: 1 },
      }) as ReadableStream,
      headers: { ...authorization(token), 'content-length': String(size) },
      duplex: 'half',
    });
    if (!response.ok) throw new Error(`PUT ${url}: ${response.status} ${await response.text()}`);
    urls.push(url);
  }
  return urls;
}

/**
 * Creates a full ticket with the calls of the ticket service: the ticket, and for each upload the source package where
 * it is new, the upload, a subticket and its artifacts.
 */
export async function createTicket(
  rest: Rest,
  title: string,
  uploads: readonly { upload: SignedUpload; urls: readonly string[] }[],
): Promise<{ ticket: Resource; subtickets: Resource[] }> {
  const ticket = await rest.post<Resource>('/api/v1/ticket/', {
    owner: DEVELOPER.DEBEMAIL,
    title,
    description: 'Made by the demonstration.',
    bug_id: '',
  });
  const subtickets: Resource[] = [];
  for (const { upload, urls } of uploads) {
    const known = await rest.get<{ objects: Resource[] }>(
      `/api/v1/sourcepackage/?name=${encodeURIComponent(upload.source)}`,
    );
    const sourcePackage =
      known.objects[0] ??
      (await rest.post<Resource>('/api/v1/sourcepackage/', { name: upload.source }));
    const spu = await rest.post<Resource>('/api/v1/spu/', {
      sourcepackage: sourcePackage.resource_uri,
      version: upload.version,
    });
    const subticket = await rest.post<Resource>('/api/v1/subticket/', {
      ticket: ticket.resource_uri,
      source_package_upload: spu.resource_uri,
      assignee: DEVELOPER.DEBEMAIL,
    });
    for (const [index, reference] of urls.entries())
      await rest.post('/api/v1/subticketartifact/', {
        subticket: subticket.resource_uri,
        name: upload.files[index],
        reference,
        type: 'SPU',
      });
    subtickets.push(subticket);
  }
  return { ticket, subtickets };
}
