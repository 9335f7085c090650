import { type Test, test } from 'tap';
import { run } from '../support/cli.js';
import { checkTable } from '../support/generated-table.js';
import { blocks, PAGES, read } from '../support/pages.js';

/** A command of the command line, with its words, such as `keys create`. */
interface CommandHelp {
  readonly words: readonly string[];
  readonly help: string;
  readonly commands: readonly string[];
}

/** A command in a code span, or after the words that run it as another user; not a message that begins so. */
const IN_TEXT = /(?:`|-- )decider (?!needs )([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g;
const IN_BLOCK = /^decider ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm;

/** The help of a command and of all its commands, depth first. */
async function helpOf(t: Test, words: readonly string[]): Promise<CommandHelp[]> {
  const { stdout: help } = await run(t, [...words, '--help']);
  const listed = help.split(/^Commands:$/m)[1] ?? '';
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map((match) => match[1] as string);
  const commands = names.filter((name) => name !== 'help');
  const inner = await Promise.all(commands.map((name) => helpOf(t, [...words, name])));
  return [{ words, help, commands }, ...inner.flat()];
}

test('docs/cli.md has the help of every command', async (t) => {
  const all = await helpOf(t, []);
  t.ok(all.length > 20);
  const single = all.filter(({ commands }) => commands.length === 0);
  const summary = single.map(({ words, help }) => {
    const description = (help.split('\n\n')[1] ?? '').replaceAll('\n', ' ');
    return `| [\`${words.join(' ')}\`](#${words.join('-')}) | ${description} |`;
  });
  checkTable(t, 'docs/cli.md', 'summary', summary);
  const details = single.map(
    ({ words, help }) => `### ${words.join(' ')}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`,
  );
  checkTable(t, 'docs/cli.md', 'commands', details.join('\n').trim().split('\n'));
  const listed = /^- These commands read the \[configuration\].+$/m.exec(read('docs/cli.md'))?.[0] ?? '';
  const isListed = (words: readonly string[]) =>
    [words.join(' '), words[0]].some((name) => listed.includes(`\`${name}\``));
  for (const { words, help } of single)
    t.equal(isListed(words), help.includes(' --config <'), words.join(' '));
});

test('every `decider` command that a page names exists', async (t) => {
  const known = new Set(read('docs/cli.md').match(/(?<=^### ).+$/gm));
  t.ok(known.size > 20);
  const groups = new Set([...known].map((words) => words.split(' ')[0]));
  for (const page of PAGES) {
    const inBlocks = blocks(page, 'sh').flatMap((block) => [...block.matchAll(IN_BLOCK)]);
    for (const [command, first, second] of [...read(page).matchAll(IN_TEXT), ...inBlocks]) {
      const found = known.has(`${first} ${second}`) || known.has(first as string);
      t.ok(found || (second === undefined && groups.has(first)), `${page}: ${command}`);
    }
  }
});
