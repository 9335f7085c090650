import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import type { EvaluationReport } from '../../src/evaluation/index.js';
import { run as runCommand } from '../support/cli.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { modelsFolder } from '../support/server.js';

test('eval --fit writes temperatures to the manifest, where models check shows them', async (t) => {
  const folder = t.testdir();
  const models = modelsFolder(folder, {}, { id: 'synthetic' });
  const manifest = join(models, 'manifest.json');
  const read = () => JSON.parse(readFileSync(manifest, 'utf8')).models[0].builds[0].temperatures;
  const run = (name: string, args: string[], file: string) =>
    runCommand(t, ['eval', file, '--resamples', '50', '--json', join(folder, name), ...args], {
      DECIDER_MODELS: models,
    });

  const large = writeRun(folder, { cases: 3_000, seed: 1, temperature: 2, groups: 60 });
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('20260101', '20261122'));

  const html = join(folder, 'fit.html');
  const fitted = await run('large.json', ['--results', large.archive, '--fit', '--html', html], large.cases);
  t.equal(fitted.code, 0, fitted.stderr);
  t.match(fitted.stdout, /^Written to synthetic-20261122 in the manifest of \S+: noul \d\.\d+, choice /m);
  const { fit }: EvaluationReport = JSON.parse(readFileSync(join(folder, 'large.json'), 'utf8'));
  for (const type of ['noul', 'choice', 'score']) t.ok(Math.abs(read()[type] / 2 - 1) < 0.25, type);
  t.strictSame(read(), Object.assign({}, ...(fit?.types.map(({ temperatures }) => temperatures) ?? [])));
  t.match(readFileSync(html, 'utf8'), /<h2>Temperatures<\/h2>/);
  const checked = await runCommand(t, ['models', 'check'], { DECIDER_MODELS: models });
  t.match(
    checked.stdout,
    new RegExp(`temperatures  noul ${read().noul}, .*\\(fitted: noul, choice, score\\)`),
  );

  const known = readFileSync(large.archive, 'utf8').replace(
    '"model":null}',
    '"model":null,"calibrations":{"synthetic-20261122":"0"}}',
  );
  writeFileSync(large.archive, known);
  const again = await run('again.json', ['--results', large.archive, '--fit'], large.cases);
  t.match(
    again.stderr,
    /^fit: the answers were given with other temperatures, .* of synthetic-20261122 than/m,
  );
  // Those in force are compared, not those of the answers, which are 1.
  t.match(again.stdout, /^No temperature improves the log loss/m);

  const before = readFileSync(manifest, 'utf8');
  const small = writeRun(folder, { cases: 600, seed: 2, temperature: 2, groups: 60 });
  const refused = await run('small.json', ['--results', small.archive, '--fit'], small.cases);
  t.equal(refused.code, 1);
  t.match(refused.stderr, /^fit: noul: \d+ questions, at least 300 are needed\. choice: .* score: [^\n]*\n$/);
  t.match(refused.stdout, /^all +\d+/m, 'the report is printed all the same');
  t.equal(readFileSync(manifest, 'utf8'), before);

  writeFileSync(manifest, before.replace(/"noul": ?[\d.]+/, '"noul": -1'));
  const damaged = await run('damaged.json', ['--results', small.archive, '--fit'], small.cases);
  t.equal(damaged.code, 1);
  t.match(
    damaged.stderr,
    /^fit: the manifest entry of synthetic-20261122 cannot be used: its temperature noul is not a positive number\.\n$/,
  );
  t.match(damaged.stdout, /^all +\d+/m, 'the report is printed all the same');
  const { fit: none }: EvaluationReport = JSON.parse(readFileSync(join(folder, 'damaged.json'), 'utf8'));
  t.match(none, { refused: /^the manifest entry .* number$/, types: [] });
});
