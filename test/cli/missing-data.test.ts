import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { run as runCommand } from '../support/cli.js';

test('a missing data folder is an error; only workspaces create creates it', async (t) => {
  const data = join(t.testdir(), 'mistyped');
  const run = (...args: string[]) => runCommand(t, args, { DECIDER_DATA: data });
  for (const args of [
    ['workspaces', 'list'],
    ['workspaces', 'credit', 'default', '1'],
    ['keys', 'list'],
    ['keys', 'create', '--workspace', 'default'],
    ['usage'],
  ]) {
    const { code, stderr } = await run(...args);
    t.equal(code, 1, args.join(' '));
    t.match(stderr, /^The data folder \S*mistyped is empty\. Start the server once [^\n]+\n$/);
    t.notOk(existsSync(data), args.join(' '));
  }
  t.equal((await run('workspaces', 'create', 'acme')).code, 0);
  t.equal((await run('keys', 'create', '--workspace', 'acme')).code, 0);
});
