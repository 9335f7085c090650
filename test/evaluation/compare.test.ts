import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { compare, readCases, readStored } from '../../src/evaluation/index.js';
import { writeRun } from '../support/evaluation/run-files.js';

const OPTIONS = { seed: 1, resamples: 50 };

test('a run does not differ from the batch results of the same answers', (t) => {
  const folder = t.testdir({});
  const run = writeRun(folder, { cases: 200, seed: 1, temperature: 1, groups: 30 });
  const [, ...lines] = readFileSync(run.archive, 'utf8').trimEnd().split('\n');
  const results = join(folder, 'results.jsonl');
  const asResult = (line: string) => {
    const { case: id, response, error } = JSON.parse(line);
    for (const answer of Object.values<{ raw_probabilities?: unknown }>(response?.answers ?? {}))
      delete answer.raw_probabilities;
    return JSON.stringify({ custom_id: id, response, error });
  };
  writeFileSync(results, lines.map((line) => `${asResult(line)}\n`).join(''));
  const cases = readCases(run.cases);
  const [archived, batch] = [readStored(run.archive), readStored(results)];
  const none = { difference: 0, ci: [0, 0] };
  const same = {
    accuracy: { difference: 0 },
    brier: none,
    log_loss: none,
    ...{ changed: 0, largest: 0, mean: 0 },
  };
  for (const runs of [[archived, batch] as const, [batch, archived] as const]) {
    const found = compare(cases, runs, OPTIONS);
    t.ok((found?.committed ?? 0) > 50);
    t.equal(found?.committed, found?.by_type.noul?.n);
    t.match(found?.overall, { ...same, ece: { difference: 0, ci: null } });
    t.match(found?.by_type.noul, same);
    const [low, high] = found?.overall.accuracy.ci ?? [0, 0];
    t.ok(low < -0.01 && low === -high, 'other cases may differ');
  }
  t.equal(compare(cases, [archived, archived], OPTIONS)?.committed, 0);
  t.end();
});
