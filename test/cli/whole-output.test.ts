import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { random } from '../../src/base/index.js';
import { streamReport, writeReport } from '../../src/cli/whole-output.js';
import { decider, run } from '../support/cli.js';
import { writeCases } from '../support/evaluation/cases.js';
import { writeRun } from '../support/evaluation/run-files.js';

/** Cases whose batch has some kilobytes, and an earlier report. */
function prepare(folder: string) {
  const { cases, archive } = writeRun(folder, { cases: 20, seed: 1, temperature: 1, groups: 4 });
  const report = join(folder, 'report');
  writeFileSync(report, 'of yesterday');
  const batch = join(folder, 'batch.jsonl');
  writeCases(batch, random(1), 20);
  return { cases, archive, batch, report, names: readdirSync(folder).sort() };
}

test('a report that does not fit on the disk leaves the file that was there', async (t) => {
  const folder = t.testdir();
  const { cases, archive, batch, report, names } = prepare(folder);
  // Blocks of 1,024 bytes.
  for (const args of [
    ['batches', 'from-cases', batch, '--model', 'm', '--out', report],
    ['eval', cases, '--results', archive, '--json', report],
  ]) {
    const { code, stderr } = await decider(t, args, {}, 'ulimit -f 1;').end();
    t.equal(code, 1);
    t.match(stderr, /^(out|json): \S+ cannot be written: EFBIG: file too large\.$/m);
    t.equal(readFileSync(report, 'utf8'), 'of yesterday');
    t.strictSame(readdirSync(folder).sort(), names);
  }
});

test('a new report keeps the mode and the link of the old one', async (t) => {
  const folder = t.testdir();
  const { report, names } = prepare(folder);
  chmodSync(report, 0o640);
  const link = join(folder, 'link');
  symlinkSync('report', link);
  const pieces = async function* () {
    yield 'of ';
    yield 'today';
  };
  for (const write of [() => writeReport('json', link, 'of today'), () => streamReport(link, pieces())]) {
    writeFileSync(report, 'of yesterday');
    await write();
    t.equal(readFileSync(report, 'utf8'), 'of today');
    t.equal(statSync(report).mode & 0o777, 0o640);
    t.ok(lstatSync(link).isSymbolicLink());
    t.strictSame(readdirSync(folder).sort(), [...names, 'link'].sort());
    rmSync(report);
    await write();
    t.equal(readFileSync(report, 'utf8'), 'of today', 'a link to a file that does not exist');
    t.ok(lstatSync(link).isSymbolicLink());
    chmodSync(report, 0o640);
  }
});

test('a report may have the longest name of a file', async (t) => {
  const folder = t.testdir();
  for (const name of ['n'.repeat(255), `${'é'.repeat(39)}👍${'é'.repeat(86)}`]) {
    const file = join(folder, name);
    for (const content of ['of yesterday', 'of today']) {
      writeReport('json', file, content);
      t.equal(readFileSync(file, 'utf8'), content);
    }
  }
  t.equal(readdirSync(folder).length, 2);
});

test('devices, pipes and redirected outputs are written as they are', async (t) => {
  const folder = t.testdir();
  const { cases, archive, batch, report, names } = prepare(folder);
  const convert = ['batches', 'from-cases', batch, '--model', 'm', '--out'];
  t.strictSame(await run(t, [...convert, '/dev/null']), { code: 0, stdout: '', stderr: '' });
  t.ok(statSync('/dev/null').isCharacterDevice());
  const lines = (await run(t, convert.slice(0, -1))).stdout;
  t.equal((await decider(t, [...convert, '/dev/stdout'], {}, 'exec > >(cat);').end()).stdout, lines);
  const args = ['eval', cases, '--results', archive, '--resamples', '50', '--json', '/dev/stdout'];
  const { code, stderr } = await decider(t, args, {}, `exec > '${report}';`).end();
  t.strictSame([code, stderr], [0, '']);
  const [json = '', table = ''] = readFileSync(report, 'utf8').split(/^(?<=\n}\n)/m);
  t.match(JSON.parse(json), { overall: {} });
  t.match(table, /^cases: /);
  t.strictSame(readdirSync(folder).sort(), names);
});
