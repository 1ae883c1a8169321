/** For test/test-run.test.ts: a test that fails. */
it('fails', () => {
  expect(1).toBe(2);
});
