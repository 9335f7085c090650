import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { decider, run } from '../support/cli.js';
import { ROOT } from '../support/sources.js';

test('decider --version prints the version of the package', async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  t.match(await decider(t, ['--version']).end(), { code: 0, stdout: version, stderr: '' });
});

test('a process ends with the status of its command', async (t) => {
  t.match(await decider(t, ['usage', '--csvv']).end(), { code: 1, stderr: /^error: unknown option/ });
});

for (const [args, reason] of [
  [['serv'], "error: unknown command 'serv'\n(Did you mean serve?)"],
  [['keys', 'lst'], "error: unknown command 'lst'\n(Did you mean list?)"],
  [['usage', '--csvv'], "error: unknown option '--csvv'\n(Did you mean --csv?)"],
  [['workspaces', 'credit', 'default'], "error: missing required argument 'amount'"],
  [['serve', 'now'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1."],
] as const) {
  test(`decider ${args.join(' ')}: the error is last on the screen, with a suggestion`, async (t) => {
    const { code, stdout, stderr } = await run(t, args);
    t.match({ code, stdout }, { code: 1, stdout: '' });
    t.equal(stderr.trimEnd(), `${reason}\nAdd --help for usage.`);
  });
}
