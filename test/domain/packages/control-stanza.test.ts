import { createStanzaReader, type Stanza } from '../../../domain/packages/control-stanza.ts';

describe('one reader of several lists', () => {
  test.each([
    ['an empty line', '\n\n'],
    ['a newline', '\n'],
    ['no newline', ''],
  ])('has each stanza by itself where a list ends with %s', (_, end) => {
    const stanzas: Stanza[] = [];
    const reader = createStanzaReader(new Set(['package', 'depends']), (stanza) =>
      stanzas.push(stanza),
    );
    reader.push(`Package: ed\nDepends: libc6${end}`);
    reader.end();
    reader.push(`Package: mksh\nDepends: ed${end}`);
    reader.end();
    expect(stanzas.map((stanza) => Object.fromEntries(stanza))).toEqual([
      { package: 'ed', depends: 'libc6' },
      { package: 'mksh', depends: 'ed' },
    ]);
  });
});
