import { useApi } from '../serve.ts';

const api = useApi();

describe('GET /api/v1/about/', () => {
  it('has the version, and where the UI of Temporal is', async () => {
    const { json } = await api.now.call('GET', '/api/v1/about/');
    expect(json).toEqual({ version: expect.any(String), temporal_ui: expect.anything() });
  });
});
