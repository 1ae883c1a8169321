import { sentenceOf, waitText } from '../../web/landing/landing-texts.ts';
import type { Landing } from '../../web/server/api-types.ts';

const WAITING = {
  phase: 'imaging',
  finished_at: null,
  cancel_requested_at: null,
  paused_by: null,
  waits_for: 'a tester for debian on amd64: none polls the task queue airline-test-debian-amd64',
} as Landing;

it('says what a landing waits for', () => {
  expect(waitText(WAITING)).toBe(
    'It waits for a tester for debian on amd64: none polls the task queue airline-test-debian-amd64.',
  );
  expect(waitText({ ...WAITING, waits_for: 'lib, and fails then: tool: Not today.' })).toBe(
    'It waits for lib, and fails then: tool: Not today.',
  );
  expect(waitText({ ...WAITING, waits_for: null })).toBeUndefined();
});

it('says nothing of it while somebody has paused or cancelled the landing', () => {
  expect(waitText({ ...WAITING, paused_by: 'ann' })).toBeUndefined();
  expect(waitText({ ...WAITING, cancel_requested_at: '2026-04-20T00:00:00Z' })).toBeUndefined();
});

it('says of one that is being cancelled that what an earlier attempt has published stays', () => {
  const cancelling = {
    ...WAITING,
    parts: [],
    ahead: [],
    cancel_requested_at: '2026-04-20T00:00:00Z',
    cancel_requested_by: 'ann',
  } as unknown as Landing;
  expect(sentenceOf({ ...cancelling, attempt: 1 })).toBe(
    'ann cancelled it. What runs is stopped, and nothing is published.',
  );
  expect(sentenceOf({ ...cancelling, attempt: 2 })).toBe(
    'ann cancelled it. What runs is stopped, and nothing more is published; what an earlier attempt has published stays published.',
  );
});
