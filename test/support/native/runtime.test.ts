it.each(['mock', 'doMock', 'setMock'] as const)(
  'a module that is mocked by jest.%s is refused, since the real one would run',
  (name) => {
    expect(() => jest[name]('node:fs', () => ({}))).toThrow('0002-test-runner.md says why');
  },
);
