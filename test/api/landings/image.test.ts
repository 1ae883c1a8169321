import { addImage } from '../../support/rows.ts';
import { useApi } from '../serve.ts';

const api = useApi();

it('is shown with the size of its file as a number, in the list and by itself', async () => {
  const sizes = [123, 5_000_000_000];
  const images = await Promise.all(sizes.map((size) => addImage(api.now.database, { size })));
  const list = await api.now.call('GET', '/api/v1/image/?order_by=id');
  expect(list.json.objects.map(({ size }: { size: number }) => size).toSorted()).toEqual(sizes);
  for (const [index, { id }] of images.entries())
    expect(await api.now.call('GET', `/api/v1/image/${id}/`)).toMatchObject({
      status: 200,
      json: { id, size: sizes[index] },
    });
});

it('is shown with the target that it is made of besides the mirrors', async () => {
  const target = '~team/debian/landed';
  const { id } = await addImage(api.now.database, { target });
  const { id: ofMirrors } = await addImage(api.now.database);
  expect((await api.now.call('GET', `/api/v1/image/${id}/`)).json.target).toBe(target);
  expect((await api.now.call('GET', `/api/v1/image/${ofMirrors}/`)).json.target).toBeNull();
  const list = await api.now.call('GET', `/api/v1/image/?target=${encodeURIComponent(target)}`);
  expect(list.json.objects).toMatchObject([{ id }]);
});
