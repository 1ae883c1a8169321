import { sourcePackage } from '../../../api/resources/source-package.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const world = createWorld(useApi());
const { call } = world;
const etagOf = async (path: string) => {
  const etag = (await call('GET', path)).headers.get('etag');
  expect(etag).toMatch(/^"[^"]+"$/);
  return etag ?? '';
};
let names = 0;
const newSource = async () => {
  const answer = await call('POST', 'sourcepackage/', { name: `package-${(names += 1)}` });
  expect(answer.status).toBe(201);
  return { path: `sourcepackage/${answer.json.id}/`, etag: answer.headers.get('etag') ?? '' };
};
const rename = (path: string, headers: Record<string, string>, method = 'PATCH') =>
  call(method, path, { name: `renamed-${(names += 1)}` }, headers);

describe('the ETag', () => {
  it('is the same for a row in every answer, and another after each change', async () => {
    const { path, etag } = await newSource();
    expect(await etagOf(path)).toBe(etag);
    expect((await call('HEAD', path)).headers.get('etag')).toBe(etag);
    const changed = (await rename(path, {})).headers.get('etag');
    expect(changed).not.toBe(etag);
    expect(await etagOf(path)).toBe(changed);
    const put = (await rename(path, {}, 'PUT')).headers.get('etag');
    expect([etag, changed]).not.toContain(put);
    expect(await etagOf(path)).toBe(put);
  });

  it('changes for a list, a set and a full ticket with what they hold', async () => {
    const { path } = await newSource();
    const ticket = await world.ticket();
    const set = `sourcepackage/set/${path.split('/')[1]}/`;
    const lists = ['sourcepackage/', set, `fullticket/${ticket.id}/`, 'ticket/', ''];
    const before = await Promise.all(lists.map(etagOf));
    expect(await Promise.all(lists.map(etagOf))).toEqual(before);
    await rename(path, {});
    await call('POST', 'ticketartifact/', {
      ticket: ticket.resource_uri,
      name: 'n',
      reference: 'r',
      type: 'LOGS',
    });
    const after = await Promise.all(lists.map(etagOf));
    expect(after.map((etag, index) => etag === before[index])).toEqual([
      false,
      false,
      false,
      // Neither a ticket nor the resources have changed.
      true,
      true,
    ]);
  });
});

describe('the ETag of a row before fields were added to its answers', () => {
  it.each([
    ['of the revision alone', (revision: string) => `"${revision}"`],
    ['of other fields', (revision: string) => `"${revision}-x1_Y-z2"`],
  ])('is no longer that of a read, and still holds for changes: %s', async (_, earlier) => {
    const { path, etag } = await newSource();
    const [, revision = '', form] = /^"(\d+)-([\w-]+)"$/.exec(etag) ?? [];
    expect(form).toBe(sourcePackage.form);
    const had = earlier(revision);
    const read = await call('GET', path, undefined, { 'if-none-match': had });
    expect(read).toMatchObject({ status: 200, json: { resource_uri: `/api/v1/${path}` } });
    expect(read.headers.get('etag')).toBe(etag);
    const weak = await rename(path, { 'if-match': `W/${had}` });
    expect(weak.json.error).toContain('A proxy has made its ETag weak');
    expect((await rename(path, { 'if-match': had })).status).toBe(202);
    expect((await rename(path, { 'if-match': had })).status).toBe(412);
  });
});

describe('the ETag of a row that is added under the id of one that is gone', () => {
  it('is none that this had', async () => {
    const { path, etag } = await newSource();
    const seen = [etag, (await rename(path, {})).headers.get('etag')];
    for (let round = 0; round < 2; round++) {
      expect((await call('DELETE', path)).status).toBe(204);
      const added = await rename(path, {}, 'PUT');
      expect(added.status).toBe(201);
      expect(await etagOf(path)).toBe(added.headers.get('etag'));
      for (const old of seen) {
        expect((await call('GET', path, undefined, { 'if-none-match': old ?? '' })).status).toBe(
          200,
        );
        expect((await rename(path, { 'if-match': old ?? '' })).status).toBe(412);
      }
      seen.push(added.headers.get('etag'), (await rename(path, {})).headers.get('etag'));
    }
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('the ETag of a ticket', () => {
  it('is that of its row, under every name of the row, and another after a roll-up', async () => {
    const bundle = await call('POST', 'ticket/bundle/', {
      owner: 'dev@example.org',
      title: 't',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'rolled' }, version: '1' } }],
    });
    const { id, subtickets } = bundle.json;
    const patched = await call('PATCH', `updateticketstatus/${id}/`, { status: '200' });
    const before = patched.headers.get('etag');
    expect(await etagOf(`ticket/${id}/`)).toBe(before);
    await call('PATCH', `updatesubticketstatus/${subtickets[0].id}/`, { status: '200' });
    expect(await etagOf(`ticket/${id}/`)).toBe(before);
    await call('PATCH', `updatesubticketstatus/${subtickets[0].id}/`, {
      current_workflow_step: '200',
    });
    expect(await etagOf(`ticket/${id}/`)).not.toBe(before);
  });
});

describe('If-None-Match', () => {
  it('gives 304 without a body while nothing has changed', async () => {
    const { path } = await newSource();
    const ticket = await world.ticket();
    for (const read of [
      path,
      'sourcepackage/',
      `fullticket/${ticket.id}/`,
      'sourcepackage/schema/',
    ]) {
      const etag = await etagOf(read);
      for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await call('GET', read, undefined, { 'if-none-match': given });
        expect({ read, given, status: answer.status }).toEqual({ read, given, status: 304 });
        expect(answer.text).toBe('');
        expect(answer.headers.get('etag')).toBe(etag);
      }
      for (const given of ['"other"', etag.slice(1, -1)])
        expect((await call('GET', read, undefined, { 'if-none-match': given })).status).toBe(200);
    }
    const etag = await etagOf(path);
    await rename(path, {});
    expect((await call('GET', path, undefined, { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('If-None-Match: *', () => {
  it('lets a PUT add what is not there, and change nothing', async () => {
    const { path } = await newSource();
    const before = (await call('GET', path)).json;
    const refused = await rename(path, { 'if-none-match': '*' }, 'PUT');
    expect(refused.status).toBe(412);
    expect(refused.json).toMatchObject({ code: 'precondition_failed' });
    expect((await call('GET', path)).json).toEqual(before);
    const added = await rename('sourcepackage/900002/', { 'if-none-match': '*' }, 'PUT');
    expect(added.status).toBe(201);
  });
});

describe('If-Match', () => {
  it.each(['PATCH', 'PUT'])('lets a %s through for the ETag of now only', async (method) => {
    const { path, etag } = await newSource();
    const before = (await call('GET', path)).json;
    for (const wrong of ['"999"', `W/${etag}`, etag.slice(1, -1), '"x"', '"999", "998"', ',']) {
      const refused = await rename(path, { 'if-match': wrong }, method);
      expect({ wrong, status: refused.status }).toEqual({ wrong, status: 412 });
      expect(refused.json).toMatchObject({ code: 'precondition_failed' });
    }
    expect((await call('GET', path)).json).toEqual(before);
    const passed = await rename(path, { 'if-match': etag }, method);
    expect(passed.status).toBe(method === 'PUT' ? 200 : 202);
    expect((await rename(path, { 'if-match': etag }, method)).status).toBe(412);
    const now = passed.headers.get('etag');
    expect((await rename(path, { 'if-match': `"999", ${now}` }, method)).status).toBeLessThan(300);
    expect((await rename(path, { 'if-match': '*' }, method)).status).toBeLessThan(300);
  });

  it('names the proxy where that has made the ETag of now weak', async () => {
    const { path, etag } = await newSource();
    const webhook = await world.create('webhook/', { url: 'http://127.0.0.1:9000/' });
    const hooked = `webhook/${webhook.id}/`;
    const hookedEtag = await etagOf(hooked);
    for (const [of, now, shown] of [
      [path, etag, 'It is at revision 1'],
      [hooked, hookedEtag, `Its ETag is ${hookedEtag}`],
    ] as const)
      for (const [given, error] of [
        [`W/${now}`, expect.stringContaining(`A proxy has made its ETag weak. ${shown} still.`)],
        ['W/"999"', `${shown} now.`],
      ]) {
        const changes = [call('PATCH', of, {}, { 'if-match': given })];
        if (of === path) changes.push(rename(of, { 'if-match': given }));
        changes.push(call('DELETE', of, undefined, { 'if-match': given }));
        for (const { status, json } of await Promise.all(changes))
          expect({ of, given, status, error: json.error }).toEqual({
            of,
            given,
            status: 412,
            error,
          });
      }
  });

  it('holds for a change that changes nothing, too', async () => {
    const { path, etag } = await newSource();
    expect((await call('PATCH', path, {}, { 'if-match': '"999"' })).status).toBe(412);
    expect((await call('PATCH', path, {}, { 'if-match': etag })).status).toBe(202);
  });

  it('lets a DELETE through for the ETag of now only', async () => {
    const { path, etag } = await newSource();
    const remove = (match: string) => call('DELETE', path, undefined, { 'if-match': match });
    expect((await remove('"999"')).status).toBe(412);
    expect((await remove(`W/${etag}`)).status).toBe(412);
    expect((await call('GET', path)).status).toBe(200);
    expect((await remove(etag)).status).toBe(204);
    expect((await remove(etag)).status).toBe(404);
    const other = await newSource();
    expect((await call('DELETE', other.path, undefined, { 'if-match': '*' })).status).toBe(204);
  });

  it('on a PUT of what is not there is 412, and adds nothing', async () => {
    for (const match of ['*', '"1"']) {
      const answer = await rename('sourcepackage/900001/', { 'if-match': match }, 'PUT');
      expect({ match, status: answer.status }).toEqual({ match, status: 412 });
    }
    expect((await call('GET', 'sourcepackage/900001/')).status).toBe(404);
  });

  it('holds for tickets, their steps and subtickets', async () => {
    const bundle = await call('POST', 'ticket/bundle/', {
      owner: 'dev@example.org',
      title: 't',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'held' }, version: '1' } }],
    });
    const { id, subtickets } = bundle.json;
    const step = { current_workflow_step: '200', status: '200' };
    for (const [read, path] of [
      [`subticket/${subtickets[0].id}/`, `updatesubticketstatus/${subtickets[0].id}/`],
      [`ticket/${id}/`, `updateticketstatus/${id}/`],
      [`subticket/${subtickets[0].id}/`, `subticket/${subtickets[0].id}/`],
      [`ticket/${id}/`, `ticket/${id}/`],
    ] as const) {
      const refused = await call('PATCH', path, step, { 'if-match': '"999"' });
      expect({ path, status: refused.status }).toEqual({ path, status: 412 });
      const passed = await call('PATCH', path, step, { 'if-match': await etagOf(read) });
      expect({ path, status: passed.status }).toEqual({ path, status: 202 });
    }
  });

  it('holds where a subticket is changed in nothing, or in nothing but its assignee', async () => {
    const bundle = await call('POST', 'ticket/bundle/', {
      owner: 'dev@example.org',
      title: 't',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'held' }, version: '1' } }],
    });
    const [{ id, ticket }] = bundle.json.subtickets;
    for (const change of [{ assignee: 'a@b' }, { ticket }, {}])
      expect((await call('PATCH', `subticket/${id}/`, change, { 'if-match': '"9"' })).status).toBe(
        412,
      );
  });

  it('is of one row, so that a PATCH of a list with it is refused', async () => {
    const { path, etag } = await newSource();
    const objects = [{ resource_uri: `/api/v1/${path}`, name: 'listed' }];
    for (const match of [etag, await etagOf('sourcepackage/')]) {
      const answer = await call('PATCH', 'sourcepackage/', { objects }, { 'if-match': match });
      expect({ match, status: answer.status }).toEqual({ match, status: 412 });
    }
    expect(await etagOf(path)).toBe(etag);
    const passed = await call('PATCH', 'sourcepackage/', { objects }, { 'if-match': '*' });
    expect(passed.status).toBe(202);
  });

  it.each(['PATCH', 'PUT', 'DELETE'])(
    'lets exactly one of many through that %s at once with the same ETag',
    async (method) => {
      const { path, etag } = await newSource();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          method === 'DELETE'
            ? call(method, path, undefined, { 'if-match': etag })
            : rename(path, { 'if-match': etag }, method),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      const others = statuses.filter((status) => status >= 300);
      expect(new Set(others)).toEqual(new Set([method === 'DELETE' ? 404 : 412]));
    },
  );
});

describe('Prefer: return=minimal', () => {
  const MINIMAL = { prefer: 'return=minimal' };

  it('leaves the body of a write out, and says so', async () => {
    const added = await call('POST', 'sourcepackage/', { name: 'minimal' }, MINIMAL);
    expect(added).toMatchObject({ status: 201, text: '' });
    const location = (added.headers.get('location') ?? '').replace('/api/v1/', '');
    expect((await call('GET', location)).json.name).toBe('minimal');
    const put = await call('PUT', location, { name: 'minimal-2' }, MINIMAL);
    expect(put).toMatchObject({ status: 200, text: '' });
    const patched = await call('PATCH', location, { name: 'minimal-3' }, MINIMAL);
    expect(patched).toMatchObject({ status: 202, text: '' });
    const list = await call('PATCH', 'sourcepackage/', { objects: [{ name: 'm-4' }] }, MINIMAL);
    expect(list).toMatchObject({ status: 202, text: '' });
    for (const { headers } of [added, put, patched, list])
      expect(headers.get('preference-applied')).toBe('return=minimal');
    expect(patched.headers.get('etag')).toBe(await etagOf(location));
  });

  it('leaves it out of bundles, updates and what a PUT adds, where Location stays', async () => {
    const ticket = { owner: 'dev@example.org', title: 't' };
    const bundle = await call('POST', 'ticket/bundle/', ticket, MINIMAL);
    const location = (bundle.headers.get('location') ?? '').replace('/api/v1/', '');
    const own = location.replace('ticket/', 'updateticketstatus/');
    const update = await call('PATCH', own, { status: '200' }, MINIMAL);
    const put = await call('PUT', 'sourcepackage/900003/', { name: 'minimal-put' }, MINIMAL);
    expect([bundle, update, put].map(({ status, text }) => [status, text])).toEqual([
      [201, ''],
      [202, ''],
      [201, ''],
    ]);
    expect(put.headers.get('location')).toBe('/api/v1/sourcepackage/900003/');
    for (const { headers } of [bundle, update, put])
      expect(headers.get('preference-applied')).toBe('return=minimal');
    expect((await call('GET', location)).json).toMatchObject({ title: 't', status: '200' });
  });

  it.each(['respond-async, return="minimal"', 'RETURN=minimal; x=1', 'wait=5,return = minimal'])(
    'may stand as %s',
    async (prefer) => {
      const { path } = await newSource();
      expect(await rename(path, { prefer })).toMatchObject({ status: 202, text: '' });
    },
  );

  it.each(['return=representation', 'return=minimalist', 'x-return=minimal'])(
    'is not %s',
    async (prefer) => {
      const { path } = await newSource();
      const answer = await rename(path, { prefer });
      expect(answer.json).toHaveProperty('name');
      expect(answer.headers.get('preference-applied')).toBeNull();
    },
  );

  it('hides no error and no read', async () => {
    const { path } = await newSource();
    expect((await call('PATCH', path, { name: '' }, MINIMAL)).json).toHaveProperty('sourcepackage');
    expect((await call('GET', path, undefined, MINIMAL)).json).toHaveProperty('name');
  });
});
