import { sourceUrlsOf } from '../../domain/ticket-sources.ts';

const spu = (reference: string) => ({ type: 'SPU', reference });

test('the source files of a ticket are those of what stands, each once', () => {
  const subtickets = [
    { replaced_by: '/api/v1/subticket/2/', artifacts: [spu('old.dsc')] },
    { replaced_by: null, artifacts: [spu('new.dsc'), spu('common.tar.xz')] },
    { replaced_by: null, artifacts: [spu('common.tar.xz'), { type: 'LOGS', reference: 'a.log' }] },
  ];
  expect(sourceUrlsOf(subtickets)).toEqual(['new.dsc', 'common.tar.xz']);
});
