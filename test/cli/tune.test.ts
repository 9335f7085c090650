import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readManifest } from '../../src/engine/index.js';
import type { TuneReport } from '../../src/tuning/index.js';
import { run } from '../support/cli.js';
import { LONG } from '../support/scale.js';
import { modelsFolder } from '../support/server.js';

const environmentOf = (models: string) => ({
  DECIDER_MODELS: models,
  DECIDER_ENGINE_BACKEND: 'cpu',
  DECIDER_ENGINE_CELLS: '1024',
});

test('tune: measures this processor, writes a page, and what it recommends to the manifest', {
  skip: LONG ? false : 'only at full scale (SCALE=long)',
}, async (t) => {
  const folder = t.testdir();
  const models = modelsFolder(folder, { layers: 2, globalEvery: 2 });
  const html = join(folder, 'tune.html');
  const args = ['tune', '--minutes', '0.05', '--goal', 'throughput', '--json', '--html', html, '--write'];
  const { code, stdout, stderr } = await run(t, args, environmentOf(models));
  const report = JSON.parse(stdout) as TuneReport;
  t.match(report, {
    build: 'tiny-20260101',
    device: / cores$/,
    goal: 'throughput',
    numerics: { refusals: [] },
  });
  t.ok((report.numerics?.prompts ?? 0) >= 16);
  t.ok(report.speed.length >= 1 && report.verified.length >= 2, `${report.verified.length} verified`);
  for (const { failure, measured } of report.verified) t.ok(failure === null && measured.length >= 2);
  t.match(stderr, /^answers of the CPU …\n/);
  t.match(readFileSync(html, 'utf8'), /Tuning of tiny-20260101/);
  // On a busy machine nothing is recommended.
  const { engine } = (await readManifest(models)).models[0] ?? {};
  if (report.recommended === null) t.match(report.refusals, [/^the machine is busy/]);
  t.equal(code, report.recommended === null ? 1 : 0);
  t.match(engine ?? null, report.recommended && { ...report.recommended, tuned: { goal: 'throughput' } });
  t.equal(/^Written to tiny in the manifest/m.test(stderr), report.recommended !== null);
});

test('tune: wrong arguments, before anything is measured', async (t) => {
  const models = modelsFolder(t.testdir());
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(t, ['tune', ...args], environmentOf(models));
    t.equal(code, 1);
    return stderr;
  };
  t.match(await refused('--minutes', '0.04'), /minutes: "0\.04" is not a number from 0\.05 to 600\./);
  t.match(await refused('--minutes', '601'), /minutes/);
  t.match(await refused('--model', 'none'), /has no model none\. Run: decider models list/);
  const html = join(models, 'missing', 'page.html');
  t.match(await refused('--html', html), /^html: the folder of .* does not exist\.$/m);
  t.notOk(existsSync(html));
  // In the place of the file that an edit writes first.
  mkdirSync(join(models, 'manifest.json.new'));
  const before = readdirSync(models);
  t.match(await refused('--write'), /^\S+manifest\.json cannot be changed: [^\n]*\n$/);
  t.strictSame(readdirSync(models), [...before, 'manifest.json.lock'].sort());
});
