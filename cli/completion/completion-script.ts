import type { Argument, Option } from 'commander';
import { allCommands, type CommandNode } from '../definition/command-tree.ts';
import { quote } from '../output/shell-call.ts';
import { STEP_VALUES, stepName } from '../../domain/tickets/ticket.ts';
import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The kinds of resources whose latest ids the server is asked for. */
export const COMPLETED_KINDS = [
  'build',
  'landing',
  'ticket',
  'subticket',
  'mergeproposal',
  'person',
  'webhook',
] as const;

/** How a word of a command line is completed. */
type Words =
  | { kind: 'none' }
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files'; extensions?: readonly string[] }
  | { kind: 'ids'; of: (typeof COMPLETED_KINDS)[number] };

type Place = {
  path: string;
  children: readonly { name: string; summary: string }[];
  options: readonly { flags: readonly string[]; summary: string; value: Words | undefined }[];
  /** What completes each argument that is neither an option nor a command; one that is repeated is the last. */
  operands: readonly (Words & { isRepeated: boolean })[];
};

/** The script that a shell loads to complete the command, made of the commands themselves. */
export function completionScript(shell: (typeof SHELLS)[number], root: CommandNode): string {
  const places = allCommands(root).map((node) => placeOf(node, root));
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
  }
}

function placeOf(node: CommandNode, root: CommandNode): Place {
  const own = node === root ? [] : node.options;
  return {
    path: node.path,
    children: node.children.map(({ name, summary }) => ({ name, summary })),
    options: [...own, ...root.options].map((option) => ({
      flags: [option.long, option.short].filter((flag) => flag !== undefined),
      summary: option.description,
      value: option.required || option.optional ? valueOf(option) : undefined,
    })),
    operands: node.arguments.map((one) => ({ ...operandOf(one), isRepeated: one.variadic })),
  };
}

function valueOf({ argChoices, long, flags }: Option): Words {
  if (argChoices) return { kind: 'words', words: argChoices };
  if (flags.includes('<step>')) return { kind: 'words', words: stepWords() };
  if (flags.includes('<state>'))
    return { kind: 'words', words: BUILD_PHASES.map((phase) => phase.replaceAll('_', '-')) };
  if (flags.includes('<file>')) return { kind: 'files' };
  if (long === '--ticket') return { kind: 'ids', of: 'ticket' };
  if (long === '--proposal') return { kind: 'ids', of: 'mergeproposal' };
  if (long === '--webhook') return { kind: 'ids', of: 'webhook' };
  return { kind: 'none' };
}

function operandOf(argument: Argument): Words {
  if (argument.argChoices) return { kind: 'words', words: argument.argChoices };
  const name = argument.name();
  if (name === 'step') return { kind: 'words', words: stepWords() };
  if (name === 'changes') return { kind: 'files', extensions: ['changes', 'dsc'] };
  if (name === 'file' || name === 'histories') return { kind: 'files' };
  const kind = COMPLETED_KINDS.find((one) => one === name);
  return kind ? { kind: 'ids', of: kind } : { kind: 'none' };
}

function stepWords(): string[] {
  return STEP_VALUES.map((step) => stepName(step).toLowerCase().replaceAll(' ', '-'));
}

/** The options that a value follows, of whatever command. */
function optionsWithValue(places: readonly Place[]): string[] {
  const flags = places.flatMap(({ options }) =>
    options.flatMap((one) => (one.value ? one.flags : [])),
  );
  return [...new Set(flags)];
}

/**
 * A pattern of bash and zsh for a command and how many operands come before the word that is completed.
 *
 * @param index of the operand; undefined: whatever comes before it
 */
function operandPattern(path: string, index: number | undefined): string {
  return index === undefined ? `${quote(`${path} `)}[0-9]*` : quote(`${path} ${index}`);
}

/** The options that say which server is asked for ids, and with which token. */
const SERVER_OPTIONS = ['--url', '--profile', '--token-file'] as const;

/** In a loop of bash or zsh over each `word` of the line: hands on to `call` what the line says of the server. */
const HAND_ON_SERVER = `    if [[ -n $option ]]; then
      # Of what was typed, the shell has expanded nothing yet.
      [[ $word != '~/'* ]] || word=$HOME/\${word#??}
      call+=("$option=$word")
      option=
    else
      case $word in
      (${SERVER_OPTIONS.join('|')}) option=$word ;;
      (${SERVER_OPTIONS.map((option) => `${option}=*`).join('|')}) call+=("$word") ;;
      esac
    fi`;

function bashScript(places: readonly Place[]): string {
  const answer = (words: Words): string => {
    switch (words.kind) {
      case 'none':
        return ':';
      case 'words':
        return `COMPREPLY=($(compgen -W ${quote(words.words.join(' '))} -- "$current"))`;
      case 'files':
        // Of another word, readline would take one that is a folder here, such as build, for that.
        return `compopt -o filenames 2>/dev/null; ${
          words.extensions === undefined
            ? 'COMPREPLY=($(compgen -f -- "$current"))'
            : `COMPREPLY=($(${words.extensions
                .map((one) => `compgen -f -X ${quote(`!*.${one}`)} -- "$current"; `)
                .join('')}compgen -d -- "$current"))`
        }`;
      case 'ids':
        return `_airline_ids ${words.of}`;
    }
  };
  const paths = places.slice(1).map(({ path }) => quote(path));
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value
        ? [
            `    ${flags.map((flag) => quote(`${path} ${flag}`)).join(' | ')}) ${answer(value)}; return ;;`,
          ]
        : [],
    ),
  );
  const operands = places.flatMap(({ path, children, operands: own }) => {
    const words = [...children.map(({ name }) => name), 'help'];
    const line = (one: Words, index: number | undefined) =>
      `    ${operandPattern(path, index)}) ${answer(one)} ;;`;
    return children.length > 0
      ? [line({ kind: 'words', words }, undefined)]
      : own.map((one, index) => line(one, one.isRepeated ? undefined : index));
  });
  const flags = places.map(
    ({ path, options }) =>
      `    ${quote(path)}) COMPREPLY=($(compgen -W ${quote([...options.flatMap((one) => one.flags), '--help'].join(' '))} -- "$current")) ;;`,
  );
  return `# Completes airline in bash: source <(airline completion bash)
_airline_ids() {
  local rest=$COMP_LINE word option= ids words=() call=(airline completion-ids "$1")
  for word in "\${COMP_WORDS[@]}"; do
    # readline splits a word at = and :, such as an address.
    if [[ \${#words[@]} -gt 0 && $rest == "$word"* ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    rest=\${rest#*"$word"}
  done
  for word in "\${words[@]}"; do
${HAND_ON_SERVER}
  done
  ids=$("\${call[@]}" 2>/dev/null)
  # compgen runs what stands in its words as $(command), and these are a server's.
  COMPREPLY=($(compgen -W "\${ids//[![:digit:][:space:]]/}" -- "$current"))
}
_airline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" path=airline at
  local word operands=0 goes_on=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case $word in
    # What follows goes on with it: readline splits a word at = and :, and these options have a value.
    [=:]* | ${optionsWithValue(places).join(' | ')}) goes_on=yes; continue ;;
    esac
    if [[ -n $goes_on ]]; then
      goes_on=
      continue
    fi
    case "$path $word" in
    ${paths.join(' | ')}) path="$path $word" ;;
    *) [[ $word == -* ]] || operands=$((operands + 1)) ;;
    esac
  done
  case "$path $before" in
${values.join('\n')}
  esac
  if [[ $current == -* ]]; then
    case "$path" in
${flags.join('\n')}
    esac
    return
  fi
  case "$path $operands" in
${operands.join('\n')}
  esac
}
complete -F _airline airline
`;
}

function zshScript(places: readonly Place[]): string {
  const answer = (words: Words): string => {
    switch (words.kind) {
      case 'none':
        return '_message "no completion"';
      case 'words':
        return `compadd -- ${words.words.map(quote).join(' ')}`;
      case 'files':
        return words.extensions === undefined
          ? '_files'
          : `_files -g ${quote(`*.(${words.extensions.join('|')})`)}`;
      case 'ids':
        return `_airline_ids ${words.of}`;
    }
  };
  const described = (entries: readonly (readonly [string, string])[]) =>
    `candidates=(${entries.map(([word, summary]) => quote(`${word.replaceAll(':', '\\:')}:${summary}`)).join(' ')})`;
  const paths = places.slice(1).map(({ path }) => quote(path));
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value
        ? [
            `    (${flags.map((flag) => quote(`${path} ${flag}`)).join('|')}) ${answer(value)}; return ;;`,
          ]
        : [],
    ),
  );
  const flags = places.map(({ path, options }) => {
    const entries = options.flatMap((one) => one.flags.map((flag) => [flag, one.summary] as const));
    return `    (${quote(path)}) ${described([...entries, ['--help', 'print this']])} ;;`;
  });
  const operands = places.flatMap(({ path, children, operands: own }) => {
    const line = (action: string, index: number | undefined) =>
      `    (${operandPattern(path, index)}) ${action} ;;`;
    const commands = described(children.map(({ name, summary }) => [name, summary]));
    return children.length > 0
      ? [line(`${commands}; _describe command candidates`, undefined)]
      : own.map((one, index) => line(answer(one), one.isRepeated ? undefined : index));
  });
  return `#compdef airline
# Completes airline in zsh: airline completion zsh > "\${fpath[1]}/_airline"
_airline_ids() {
  local word option=
  local -a call=(airline completion-ids $1)
  for word in "\${(@Q)words}"; do
${HAND_ON_SERVER}
  done
  compadd -- \${(f)"$("\${call[@]}" 2>/dev/null)"}
}
_airline() {
  local command_path=airline at word operands=0 goes_on=
  local -a candidates
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    case $word in
    (${optionsWithValue(places).join('|')}) goes_on=yes; continue ;;
    esac
    if [[ -n $goes_on ]]; then
      goes_on=
      continue
    fi
    case "$command_path $word" in
    (${paths.join('|')}) command_path="$command_path $word" ;;
    (*) [[ $word == -* ]] || operands=$((operands + 1)) ;;
    esac
  done
  case "$command_path \${words[CURRENT - 1]}" in
${values.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case "$command_path" in
${flags.join('\n')}
    esac
    _describe -o option candidates
    return
  fi
  case "$command_path $operands" in
${operands.join('\n')}
    (*) ${answer({ kind: 'none' })} ;;
  esac
}
if [[ \${funcstack[1]} == _airline ]]; then
  _airline "$@"
else
  compdef _airline airline
fi
`;
}

function fishScript(places: readonly Place[]): string {
  const paths = places.slice(1).map(({ path }) => quote(path));
  const lines = places.flatMap(({ path, children, options, operands }) => {
    const when = (more = '') =>
      `complete -c airline -n ${quote(`__airline_at ${quote(path)}${more}`)}`;
    const at = when();
    return [
      ...children.map(({ name, summary }) => `${at} -a ${quote(name)} -d ${quote(summary)}`),
      ...operands.flatMap((one, index) =>
        fishOperand(one.isRepeated ? at : when(` ${index}`), one),
      ),
      ...options.map(({ flags, summary, value }) => {
        const names = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        return `${at} ${names.join(' ')} -d ${quote(summary)}${fishValue(value)}`;
      }),
    ];
  });
  return `# Completes airline in fish: airline completion fish > ~/.config/fish/completions/airline.fish
function __airline_at
    set -l path airline
    set -l operands
    set -l option
    for word in (commandline -opc)[2..-1]
        if set -q option[1]
            set option
            continue
        end
        switch "$path $word"
            case ${paths.join(' ')}
                set path "$path $word"
            case '*'
                if contains -- $word ${optionsWithValue(places).join(' ')}
                    set option $word
                else if not string match -q -- '-*' $word
                    set -a operands $word
                end
        end
    end
    test "$path" = "$argv[1]"; and begin
        not set -q argv[2]; or test (count $operands) -eq $argv[2]
    end
end
function __airline_ids
    set -l call airline completion-ids $argv[1]
    set -l option
    for word in (commandline -op)
        if set -q option[1]
            set -a call $option=(string replace -r '^~/' $HOME/ -- $word)
            set option
        else if contains -- $word ${SERVER_OPTIONS.join(' ')}
            set option $word
        else if string match -qr '^(${SERVER_OPTIONS.join('|')})=' -- $word
            set -a call $word
        end
    end
    $call 2>/dev/null
end
complete -c airline -f
complete -c airline -l help -s h -d 'print this'
${lines.join('\n')}
`;
}

function fishOperand(at: string, words: Words): string[] {
  switch (words.kind) {
    case 'none':
      return [];
    case 'words':
      return [`${at} -a ${quote(words.words.join(' '))}`];
    case 'files':
      return words.extensions === undefined
        ? [`${at} -F`]
        : words.extensions.map((one) => `${at} -a ${quote(`(__fish_complete_suffix .${one})`)}`);
    case 'ids':
      return [`${at} -a ${quote(`(__airline_ids ${words.of})`)}`];
  }
}

function fishValue(words: Words | undefined): string {
  switch (words?.kind) {
    case undefined:
      return '';
    case 'none':
      return ' -x';
    case 'words':
      return ` -x -a ${quote(words.words.join(' '))}`;
    case 'files':
      return ' -r -F';
    case 'ids':
      return ` -x -a ${quote(`(__airline_ids ${words.of})`)}`;
  }
}
