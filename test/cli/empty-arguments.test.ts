import type { Command } from 'commander';
import { test } from 'tap';
import { program } from '../../src/cli/program.js';
import { run } from '../support/cli.js';

/** Every command that does something, with the words that select it. */
function commands(of: Command = program, words: readonly string[] = []): [Command, readonly string[]][] {
  if (of.commands.length === 0) return [[of, words]];
  return of.commands.flatMap((each) => commands(each, [...words, each.name()]));
}

/** Values that are accepted, until the command itself refuses them. */
const placeholder = (name: string): string => (name === 'shell' ? 'bash' : 'x');

test('every command refuses an empty argument and an empty option by name', async (t) => {
  let refused = 0;
  for (const [command, words] of commands()) {
    const given = command.registeredArguments.map((argument) => placeholder(argument.name()));
    const needed = command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, argChoices }) => [long as string, argChoices?.[0] ?? 'x']);
    const check = async (args: readonly string[], name: string) => {
      const { code, stdout, stderr } = await run(t, [...words, ...args]);
      t.strictSame([code, stdout], [1, ''], [...words, ...args].join(' '));
      t.equal(
        stderr.split('\n')[0]?.slice(0, name.length + 13),
        `${name}: it is empty`,
        [...words, name].join(' '),
      );
      t.equal(stderr.trim().split('\n').length, 1, stderr);
      refused += 1;
    };
    for (const [index, argument] of command.registeredArguments.entries()) {
      if (argument.argChoices || (words.at(-1) === 'rename' && argument.name() === 'name')) continue;
      await check([...given.with(index, ''), ...needed], argument.name());
    }
    for (const option of command.options) {
      const name = option.name();
      const takesValue = option.required || option.optional;
      if (!takesValue || option.argChoices || ['name', 'token'].includes(name)) continue;
      const others = needed.filter((_, at) => needed[at - (at % 2)] !== option.long);
      await check([...given, ...others, option.long as string, ''], name);
    }
  }
  t.ok(refused > 100, `${refused} refused`);
});
