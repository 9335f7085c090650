import { join } from 'node:path';
import { type Test, test } from 'tap';
import { progress } from '../../src/cli/store-move.js';
import { run as runCommand } from '../support/cli.js';
import { folderContent } from '../support/cluster/folder-content.js';
import { fillFolder } from '../support/cluster/full-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';

/** Runs `decider store move` on a data folder and a database. */
const mover =
  (t: Test, url: string, masterKey: string) =>
  (folder: string, ...args: string[]) =>
    runCommand(t, ['store', 'move', ...args], {
      DECIDER_DATA: folder,
      DECIDER_STORE_URL: url,
      DECIDER_MASTER_KEY: masterKey,
    });

test('store move copies a folder to the database and back', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const back = join(t.testdirName, 'back');
  const { masterKey } = await fillFolder(folder);
  const key = masterKey.toString('hex');
  const { url } = await newDatabase(t);
  const move = mover(t, url, key);
  const there = await move(folder, '--to', 'database');
  t.match(there, { code: 0, stderr: /^((copying|comparing) [^\n]+\n)*$/ });
  const lines = there.stdout.split('\n');
  t.match(lines[0], /^table +rows +sha-256$/);
  t.match(lines[1], /^workspaces +3 {2}[0-9a-f]{64}$/);
  t.match(lines.at(-2), /^The database and the data folder \S+ have the same content\.$/);
  t.match(
    lines.at(-1),
    /^Move store and master\.key out of that folder, and start the servers with store\.url\.$/,
  );
  const again = await move(back, '--to', 'folder', '--json');
  t.equal(again.code, 0);
  const { to, tables } = JSON.parse(again.stdout) as { to: string; tables: { sha256: string }[] };
  t.equal(to, 'folder');
  t.strictSame(
    tables.map(({ sha256 }) => sha256),
    lines.slice(1, -2).map((line) => line.split(/ +/)[2]),
  );
  t.strictSame(await folderContent(back), await folderContent(folder));
  const verified = await runCommand(t, ['verify'], { DECIDER_DATA: back, DECIDER_MASTER_KEY: key });
  t.match(verified, {
    code: 0,
    stdout: /^ok +tables .*\nok +lists .*\nok +master key .*\nok +batches .*\nok +tasks .*\nok +ledger/,
  });
});

test('store move ends with one line if it is refused', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const { masterKey } = await fillFolder(folder);
  const { url } = await newDatabase(t);
  const move = mover(t, url, masterKey.toString('hex'));
  const refused = async (ended: Awaited<ReturnType<typeof move>>, message: RegExp) => {
    t.equal(ended.code, 1);
    t.match(ended.stderr, message);
    t.equal(ended.stderr.trimEnd().split('\n').length, 1);
  };
  await refused(
    await move(join(t.testdirName, 'none'), '--to', 'database'),
    /^The data folder .* has no store/,
  );
  await refused(await move(folder, '--to', 'folder'), /^The data folder .* is not empty/);
  await refused(
    await mover(t, url, 'ab'.repeat(32))(folder, '--to', 'database'),
    /^master_key is not the key/,
  );
  await refused(await mover(t, url, 'not hexadecimal')(folder, '--to', 'database'), /64 hexadecimal digits/);
  t.match(await move(folder), { code: 1, stderr: /required option '--to <place>'/ });
  const without = { DECIDER_DATA: folder };
  await refused(await runCommand(t, ['store', 'move', '--to', 'folder'], without), /^Set store\.url/);
});

test('progress is a line at most every two seconds', async (t) => {
  let now = 0;
  const lines: string[] = [];
  const report = progress(
    (line) => lines.push(line),
    () => now,
  );
  report('copy', 'workspaces', 1);
  now = 2_000;
  report('copy', 'batch_results', 12_345);
  now = 3_999;
  report('copy', 'batch_results', 20_000);
  now = 4_000;
  report('compare', 'keys', 5);
  t.strictSame(lines, ['copying batch_results: 12,345 rows', 'comparing keys: 5 rows']);
});
