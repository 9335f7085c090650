import type { Command } from 'commander';

/** The shells for which `decider completion` prints a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command with the words that lead to it, such as `/keys/create`, and what may follow it. */
interface Node {
  readonly path: string;
  readonly command: Command;
  readonly words: readonly { readonly name: string; readonly description: string }[];
}

/** The script that completes the commands and options of a program; shells load it once, so TAB starts no process. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, '');
  if (shell === 'fish') return fish(program.name(), nodes);
  const script = bash(program.name(), nodes);
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function nodesOf(command: Command, path: string): Node[] {
  const words = [
    ...command.commands.map((inner) => ({ name: inner.name(), description: inner.description() })),
    ...command.options.map(({ long, description }) => ({ name: long as string, description })),
    { name: '--help', description: 'display help for command' },
  ];
  const inner = command.commands.flatMap((each) => nodesOf(each, `${path}/${each.name()}`));
  return [{ path, command, words }, ...inner];
}

/** Walks the words before the cursor to the innermost command, then offers what may follow it. */
function bash(name: string, nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => path);
  const offers = nodes.map(
    ({ path, words }) => `    '${path}') words='${words.map((word) => word.name).join(' ')}' ;;`,
  );
  return `_${name}() {
  local path= word words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$path/$word" in
      ${paths.join('|')}) path="$path/$word" ;;
    esac
  done
  case "$path" in
${offers.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`;
}

function fish(name: string, nodes: readonly Node[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = nodes.flatMap(({ path, words }) =>
    words.map((word) => {
      const offer = word.name.startsWith('--') ? `-l ${word.name.slice(2)}` : `-f -a ${word.name}`;
      return `complete -c ${name} -n ${quote(`test (__${name}_path) = ${path}/`)} ${offer} -d ${quote(word.description)}`;
    }),
  );
  const paths = nodes.map(({ path }) => `${path}/`);
  return `function __${name}_path
    set -l path /
    for word in (commandline -opc)[2..]
        contains -- "$path$word/" ${paths.join(' ')}
        and set path "$path$word/"
    end
    echo $path
end
${lines.join('\n')}
`;
}
