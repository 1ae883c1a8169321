/**
 * The fields of one stanza that were asked for, by their names in lower case. Further lines of a field follow a `\n`.
 */
export type Stanza = ReadonlyMap<string, string>;

/**
 * Reads an index of an archive (deb822(5)), such as `Packages`, bit by bit: only one stanza is in memory at a time.
 *
 * @param wanted the names of the fields to keep, in lower case
 * @param onStanza gets each stanza that has one of them
 * @returns `push` takes text that may end anywhere; `end` comes after the last of a list, and another list may follow
 */
export function createStanzaReader(
  wanted: ReadonlySet<string>,
  onStanza: (stanza: Stanza) => void,
): { push: (text: string) => void; end: () => void } {
  let rest = '';
  let fields = new Map<string, string>();
  let current: string | undefined;

  const finish = () => {
    if (fields.size > 0) onStanza(fields);
    fields = new Map();
    current = undefined;
  };
  const readLine = (line: string) => {
    if (line === '') return finish();
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (current !== undefined)
        fields.set(current, `${fields.get(current) ?? ''}\n${line.trim()}`);
      return;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    current = wanted.has(name) ? name : undefined;
    if (current !== undefined) fields.set(current, line.slice(colon + 1).trim());
  };
  return {
    push(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
    },
    end() {
      readLine(rest);
      rest = '';
      finish();
    },
  };
}
