import { requesterText, withoutRequests } from '../../../domain/access/requester.ts';

it('names who asked with the id of the request, and without it', () => {
  const ann = requesterText('ann', '8f85dada-efc8');
  expect(ann).toBe('ann (request 8f85dada-efc8)');
  expect(withoutRequests(ann)).toBe('ann');
  expect(withoutRequests(`cancelled by ${ann}; nothing is built`)).toBe(
    'cancelled by ann; nothing is built',
  );
});
