import { join } from 'node:path';
import { type Test, test } from 'tap';
import { run } from '../support/cli.js';
import { onDatabase } from '../support/node-server.js';
import { NEEDS_POSTGRES, newDatabase, postgres } from '../support/postgres.js';

/** Commands as on a data folder, in this order. KEY: the id of the key that was created last. */
const COMMANDS: ReadonlyArray<readonly string[]> = [
  ['workspaces', 'create', 'default'],
  ['workspaces', 'create', 'default'],
  ['workspaces', 'credit', 'default', '12.50'],
  ['workspaces', 'budget', 'default', '3'],
  ['workspaces', 'limits', 'default', '--requests-per-minute', '7'],
  ['workspaces', 'show', 'default'],
  ['workspaces', 'show', 'other'],
  ['workspaces', 'list'],
  ['keys', 'create', '--workspace', 'default', '--expires', '2999-12-31'],
  ['keys', 'list'],
  ['keys', 'roll', 'KEY'],
  ['keys', 'revoke', 'KEY'],
  ['keys', 'list', '--workspace', 'default'],
  ['keys', 'revoke', 'key_none'],
  ['usage'],
  ['usage', '--from', 'yesterday'],
  ['usage', '--invoice', 'default', '--month', '2026-01'],
  ['audit'],
];

/** Prints what the commands print, with times, ids and tokens replaced. */
async function transcript(t: Test, environment: Record<string, string>): Promise<string[]> {
  const printed: string[] = [];
  let key = '';
  for (const form of [[], ['--json']]) {
    for (const command of COMMANDS) {
      const args = [...command.map((arg) => (arg === 'KEY' ? key : arg)), ...form];
      const { code, stdout, stderr } = await run(t, args, environment);
      if (command[1] === 'create') key = /key_\w{20}/.exec(stdout)?.[0] ?? key;
      const shown = [stdout, stderr].join('\n').replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, 'TIME');
      printed.push(`${command.join(' ')} → ${code}\n${shown.replaceAll(/\b(key|dk)_\w{20,40}/g, '$1_ID')}`);
    }
  }
  return printed;
}

test(
  'administrative commands print the same on a database as on a data folder',
  NEEDS_POSTGRES,
  async (t) => {
    const { url } = await newDatabase(t);
    const onFolder = await transcript(t, { DECIDER_DATA: join(t.testdir(), 'data') });
    t.strictSame(await transcript(t, onDatabase(url)), onFolder);
  },
);

test('commands on the files of a data folder say what to do with a database', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const file = join(t.testdir(), 'file');
  for (const [args, remedy] of [
    [['verify'], / run: decider doctor/],
    [['backup', file], /pg_dump/],
    [['restore', file], /pg_restore.* decider store move --to database/],
    [['rekey'], /decider store move --to folder/],
  ] as const) {
    const { code, stderr } = await run(t, args, onDatabase(url));
    t.equal(code, 1);
    t.match(stderr, /^The data is in the database of store\.url, not in a data folder\. [^\n]+\n$/);
    t.match(stderr, remedy);
  }
});

test('doctor: the database, its key, its nodes and its ledger', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const doctor = async (environment: Record<string, string>) => {
    const { stdout } = await run(t, ['doctor', '--json'], environment);
    const found: Array<{ check: string; ok: boolean; detail: string }> = JSON.parse(stdout);
    return (check: string) => found.find((each) => each.check === check);
  };
  await run(t, ['workspaces', 'create', 'w'], onDatabase(url));
  const fresh = await doctor(onDatabase(url));
  t.match(fresh('database'), { ok: true, detail: /^answers in [\d.]+ ms$/ });
  t.match(fresh('master key'), { ok: true, detail: /^not recorded yet/ });
  t.match(fresh('nodes'), { ok: true, detail: 'none serves' });
  t.match(fresh('workspace w'), { ok: true, detail: /^balance 0\.00 GBP/ });
  t.match(fresh('ledger'), { ok: true, detail: 'adds up' });
  await database.execute({
    name: 'wrong-account',
    text: `INSERT INTO accounts (workspace, charged, month) VALUES ('w', 1, '2026-01')`,
  });
  t.match((await doctor(onDatabase(url)))('ledger'), { ok: false });
  const bare = await (await postgres()).createDatabase(false);
  t.match((await doctor(onDatabase(bare)))('nodes'), undefined);
  const away = onDatabase('postgres://user:secret@127.0.0.1:1/d');
  t.match((await doctor(away))('database'), { ok: false, detail: /does not accept connections/ });
});
