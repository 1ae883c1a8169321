/** Commands of a page that are typed one after the other, and where their outputs are to be. */
type Transcript = {
  kind: 'transcript';
  commands: string[];
  /** Its last command goes on while the others are run. */
  isLasting: boolean;
};

/** A page of the web UI that is shown as a picture. */
type Picture = {
  kind: 'picture';
  address: string;
  /** Shown only once the page has this text. */
  once: string | undefined;
  file: string;
};

export type Part = { kind: 'text'; lines: string[] } | Transcript | Picture;

const FENCE = '```';
const LASTING = '<!-- runs until the end -->';
const PICTURE = /^<!-- page: (?<address>\S+)(?: once (?<once>.+?))? -->$/;
const IMAGE = /^!\[[^\]]*\]\((?<file>[^)]+)\)$/;

/**
 * Reads a page of Markdown whose `console` blocks hold commands after `$ `, and whose pictures follow a comment with
 * the address of what they show. Texts keep every other line, the pictures' own included.
 *
 * @throws Error where a block or a picture is not as it should be
 */
export function readTutorial(page: string): Part[] {
  const parts: Part[] = [];
  let text: string[] = [];
  const endText = () => {
    parts.push({ kind: 'text', lines: text });
    text = [];
  };
  let isLasting = false;
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const picture = PICTURE.exec(line)?.groups;
    if (line === LASTING) isLasting = true;
    if (line === `${FENCE}console`) {
      const end = lines.indexOf(FENCE, at);
      if (end === -1) throw new Error(`The block at line ${at + 1} does not end.`);
      endText();
      parts.push({ kind: 'transcript', commands: commandsIn(lines.slice(at + 1, end)), isLasting });
      isLasting = false;
      at = end;
    } else if (picture) {
      const image = lines.slice(at + 1).find((other) => other !== '');
      const file = IMAGE.exec(image ?? '')?.groups?.['file'];
      if (file === undefined) throw new Error(`No picture follows line ${at + 1}.`);
      text.push(line);
      endText();
      parts.push({
        kind: 'picture',
        address: picture['address'] as string,
        once: picture['once'],
        file,
      });
    } else text.push(line);
  }
  endText();
  return parts;
}

/** @throws Error where there is none */
function commandsIn(lines: readonly string[]): string[] {
  const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  if (commands.length === 0) throw new Error('A console block has no command.');
  return commands;
}

/** The page again. @param outputs what each command of a transcript has printed */
export function writeTutorial(
  parts: readonly Part[],
  outputs: ReadonlyMap<Part, readonly string[]>,
): string {
  return parts
    .flatMap((part) => {
      if (part.kind === 'picture') return [];
      if (part.kind === 'text') return part.lines;
      const printed = outputs.get(part) ?? [];
      const shown = part.commands.flatMap((command, at) => [
        `$ ${command}`,
        ...linesOf(printed[at] ?? ''),
      ]);
      return [`${FENCE}console`, ...shown, FENCE];
    })
    .join('\n');
}

function linesOf(output: string): string[] {
  const text = output.trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => line.trimEnd());
}
