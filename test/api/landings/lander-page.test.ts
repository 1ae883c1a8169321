import { readFileSync } from 'node:fs';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const { post } = createWorld(api);

const page = readFileSync('docs/lander.md', 'utf8');
/** The body that docs/lander.md shows first after an address. */
const shownBody = (address: string) => {
  const [, body = ''] = page.slice(page.indexOf(`\`POST ${address}`)).split(/^```(?:json)?$/m);
  return JSON.parse(body) as Record<string, unknown>;
};

it('a ticket as docs/lander.md sends it can be built, and landed', async () => {
  const ticket = await post('ticket/bundle/', shownBody('/api/v1/ticket/bundle/'));
  expect(ticket.status).toBe(201);
  const { id: ticket_id, subtickets } = ticket.json;

  const request = shownBody('/api/v1/build_source');
  const files = subtickets[0].artifacts.map(({ reference }: { reference: string }) => reference);
  expect(files).toEqual(request['source_packages']);
  expect(await post('build_source', { ...request, ticket_id })).toMatchObject({ status: 202 });

  const place = { series: 'noble', ppa: 'ppa:team/landing', target: 'ubuntu' };
  expect(await post(`ticket/${ticket_id}/land/`, place)).toMatchObject({
    status: 202,
    json: { ticket_id },
  });
});
