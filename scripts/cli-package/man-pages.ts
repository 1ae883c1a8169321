import type { Option } from 'commander';
import { allCommands, type CommandNode } from '../../cli/definition/command-tree.ts';
import { descriptionOf } from '../../cli/definition/command-help.ts';
import { EXIT_MEANINGS } from '../../cli/exit-code.ts';

/**
 * The manual of the command in the language of man(7): airline(1), and a page for each command that groups others or
 * does something itself, such as airline-build(1).
 *
 * @param root the whole command
 * @returns the pages by their file names
 */
export function manPages(root: CommandNode, version: string): Map<string, string> {
  const pages = new Map([['airline.1', mainPage(root, version)]]);
  for (const node of root.children)
    pages.set(`airline-${node.name}.1`, commandPage(node, root, version));
  return pages;
}

function mainPage(root: CommandNode, version: string): string {
  return page('AIRLINE', version, [
    section('NAME', [`airline \\- ${escape(plain(root.summary))}`]),
    section('SYNOPSIS', ['.B airline', '[options] <command>']),
    section(
      'COMMANDS',
      root.children.flatMap((node) => item(`airline-${node.name}(1)`, node.summary)),
    ),
    section('OPTIONS', root.options.flatMap(optionItem)),
    section(
      'EXIT STATUS',
      EXIT_MEANINGS.flatMap(([code, meaning]) => item(String(code), meaning)),
    ),
    section('ENVIRONMENT', [
      ...item('AIRLINE_URL', 'the address of the server; not with --profile'),
      ...item('AIRLINE_TOKEN', 'a token; not with --profile'),
      ...item('AIRLINE_PROFILE', 'a server and token that `airline login` saved'),
      ...item('NO_COLOR, FORCE_COLOR', 'print without colours, or with them'),
    ]),
    section('FILES', [
      ...item('~/.config/airline/config.json', 'the servers'),
      ...item('~/.config/airline/tokens.json', 'their tokens'),
    ]),
  ]);
}

function commandPage(node: CommandNode, root: CommandNode, version: string): string {
  const commands = allCommands(node).filter(({ children }) => children.length === 0);
  return page(`AIRLINE-${node.name.toUpperCase()}`, version, [
    section('NAME', [`airline-${node.name} \\- ${escape(plain(node.summary))}`]),
    section(
      'SYNOPSIS',
      commands.flatMap((one) => ['.br', `.B ${escape(one.path)}`, usage(one)]),
    ),
    section('DESCRIPTION', [escape(node.summary), ...commands.flatMap(describe)]),
    section('SEE ALSO', [
      `.BR airline (1)`,
      ...root.children.map(({ name }) => `.BR airline-${name} (1)`),
    ]),
  ]);
}

function usage({ arguments: operands, options }: CommandNode): string {
  const names = operands.map((one) => `<${one.name()}${one.variadic ? '...' : ''}>`);
  return escape([...names, ...(options.length > 0 ? ['[options]'] : [])].join(' '));
}

function describe(node: CommandNode): string[] {
  const { examples = [], notes = [], json, quiet } = descriptionOf(node.command) ?? {};
  return [
    `.SS ${escape(`${node.path} ${usage(node)}`)}`,
    escape(node.summary),
    ...node.arguments.flatMap((one) => item(`<${one.name()}>`, one.description)),
    ...node.options.flatMap(optionItem),
    ...(notes.length > 0 ? ['.PP', ...notes.map(escape)] : []),
    ...(json === undefined ? [] : ['.PP', escape(`--json prints ${json}.`)]),
    ...(quiet === undefined ? [] : ['.PP', escape(`--quiet prints ${quiet}.`)]),
    ...examples.flatMap(([call, purpose]) => [
      '.PP',
      escape(`${plain(purpose)}:`),
      '.PP',
      '.nf',
      `    ${escape(call)}`,
      '.fi',
    ]),
  ];
}

function optionItem(option: Option): string[] {
  const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
  const required = option.mandatory ? ' (required)' : '';
  return item(option.flags, `${option.description}${choices}${required}`);
}

function item(term: string, text: string): string[] {
  return ['.TP', `.B ${escape(term)}`, escape(text)];
}

function section(title: string, lines: readonly string[]): string {
  return [`.SH ${title}`, ...lines].join('\n');
}

function page(title: string, version: string, sections: readonly string[]): string {
  return `${[`.TH ${title} 1 "" "airline ${escape(version)}" "Airline"`, ...sections].join('\n')}\n`;
}

/** Without the stop at its end, as the line of a NAME section is. */
function plain(text: string): string {
  return text.replace(/\.$/, '');
}

/** Text that troff prints as it is: no escape, no request, hyphens that can be copied. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
