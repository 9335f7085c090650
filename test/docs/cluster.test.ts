import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { loadSettings } from '../../src/settings/index.js';
import { run as runCommand } from '../support/cli.js';
import { NEEDS_POSTGRES, postgres } from '../support/postgres.js';
import { ROOT } from '../support/sources.js';

const PAGE = readFileSync(join(ROOT, 'docs/cluster.md'), 'utf8');

function block(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`docs/cluster.md has no ${language}`);
  return text;
}

test(
  'the role of docs/cluster.md, which is no superuser, can do all that decider does',
  NEEDS_POSTGRES,
  async (t) => {
    const server = await postgres();
    for (const text of block('sql').split(';\n').filter(Boolean)) await server.run(text);
    const url = server.url('decider').replace(`//${server.user}@`, '//decider:PASSWORD@');
    const environment = { DECIDER_STORE_URL: url, DECIDER_MASTER_KEY: 'a'.repeat(64) };
    const run = (...args: string[]) => runCommand(t, args, environment);
    const commands = [
      'store migrate',
      'nodes',
      'workspaces create acme',
      'keys create --workspace acme',
      'doctor',
    ];
    for (const command of commands) {
      const { stdout, stderr } = await run(...command.split(' '), '--json');
      t.doesNotThrow(() => JSON.parse(stdout), `${command}: ${stdout}${stderr}`);
      if (command !== 'doctor') t.equal(stderr, '');
    }
  },
);

test('the settings of docs/cluster.md are accepted', async (t) => {
  const text = block('json').replace('64 HEXADECIMAL DIGITS', 'a'.repeat(64));
  const file = join(t.testdir({ 'decider.json': text }), 'decider.json');
  const { host, store, http } = loadSettings({}, file);
  t.match([host, store.connections, http.trusted_proxies], ['10.0.0.11', 10, ['10.0.0.10']]);
});
