import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { Decider } from '../../src/client/index.js';
import { readCase } from '../../src/evaluation/cases/case.js';
import {
  buildReport,
  type Cases,
  compare,
  ENGINE_CONCURRENCY,
  type Evaluated,
  type EvaluationReport,
  engineTarget,
  evaluate,
  readCases,
  readStored,
  serverTarget,
  type Target,
} from '../../src/evaluation/index.js';
import { readResponse } from '../../src/evaluation/read-response.js';
import { timeLimitOf } from '../../src/evaluation/targets/server-target.js';
import { openLocal } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { type generatedCase, writeCases } from '../support/evaluation/cases.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder, startTestServer, testDependencies } from '../support/server.js';
import { until } from '../support/until.js';

const CASES = scaled({ short: 30, long: 200 });
/** A batch of all cases on a busy machine. */
const BATCH_MS_MAX = 240_000;
const PLAIN = { order: false, format: false, modes: false, averages: [] };
const PRICES = { of: () => null, currency: 'GBP' };

async function openEngine(models: string, exact: boolean, names: ReadonlyArray<string | null> = [null]) {
  const settings = loadSettings(
    {
      DECIDER_MODELS: models,
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_ENGINE_THREADS: '1',
      DECIDER_ENGINE_MEMORY_CHECK: 'false',
      DECIDER_ENGINE_EXACT: String(exact),
    },
    undefined,
  );
  const service = await openLocal(settings, testDependencies().dependencies, names);
  return engineTarget(service, exact, ENGINE_CONCURRENCY);
}

function ask(cases: Cases, archive: string, openTarget: () => Promise<Target>, own: object = {}) {
  return evaluate({
    cases,
    variants: PLAIN,
    model: null,
    archive,
    resume: false,
    signal: new AbortController().signal,
    openTarget,
    openOtherMode: openTarget,
    onProgress: () => {},
    wait: () => Promise.resolve(),
    ...own,
  });
}

function reportOf(
  cases: Cases,
  { outcomes, target }: Pick<Evaluated, 'outcomes' | 'target'>,
): EvaluationReport {
  const { report } = buildReport({ cases, outcomes, target, prices: PRICES, seed: 1, resamples: 100 });
  return report as EvaluationReport;
}

/** Submits the cases as a batch and writes its results to a file. */
async function batchResults(
  t: Test,
  url: string,
  token: string,
  cases: ReadonlyArray<ReturnType<typeof generatedCase>>,
) {
  const { batches } = new Decider({ url, token });
  const lines = cases.map(({ id, request }) => JSON.stringify({ custom_id: id, model: 'tiny', ...request }));
  const { id } = await batches.submit(lines.join('\n'));
  await until(async () => (await batches.show(id)).results_available, BATCH_MS_MAX);
  const results: string[] = [];
  for await (const line of batches.resultLines(id)) results.push(`${line}\n`);
  const file = join(t.testdir({}), 'results.jsonl');
  writeFileSync(file, results.join(''));
  return file;
}

test('in exact mode, the engine, a server and a batch results file give the same metrics', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const folder = dataFolder(t);
  const file = join(folder, 'cases.jsonl');
  const written = writeCases(file, random(seed), CASES);
  const cases = readCases(file);
  const models = modelsFolder(folder, { type: 'f16' });

  const inProcess = reportOf(cases, await ask(cases, join(folder, 'a'), () => openEngine(models, true)));
  t.match(inProcess, { answered: CASES, committed: 0, failures: [], overall: { n: 3 * CASES } });

  const server = await startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, models);
  const token = server.headers.authorization.slice('Bearer '.length);
  const remote = () =>
    Promise.resolve(serverTarget({ url: server.url, path: '/v1/systemone', token, concurrency: 8 }));
  const overHttp = reportOf(cases, await ask(cases, join(folder, 'b'), remote));
  t.strictSame(metricsOf(overHttp), metricsOf(inProcess), 'over HTTP');

  const decisions = () =>
    Promise.resolve(serverTarget({ url: server.url, path: '/v1/decisions', token, concurrency: 8 }));
  const asDecisions = reportOf(cases, await ask(cases, join(folder, 'c'), decisions));
  t.strictSame(metricsOf(asDecisions), metricsOf(inProcess), 'as the Decisions API');

  const results = await batchResults(t, server.url, token, written);
  const fromFile = reportOf(cases, readStored(results));
  t.equal(fromFile.committed, CASES, 'the report says that only the committed noul was available');
  for (const type of ['choice', 'score'] as const) {
    t.strictSame(fromFile.by_type[type], inProcess.by_type[type], type);
  }
  t.equal(fromFile.by_type.noul?.accuracy, inProcess.by_type.noul?.accuracy);
  t.strictSame(fromFile.tokens, inProcess.tokens);

  const stored = reportOf(cases, readStored(join(folder, 'a')));
  t.strictSame(stored, inProcess, 'the archive gives the same report without asking again');
});

test('the time limit of a request grows with its prompts', async (t) => {
  const limitOf = (questions: number, rotations = 1) => {
    const entries = Array.from({ length: questions }, (_, at) => [`q${at}`, { type: 'noul' }]);
    return timeLimitOf(JSON.stringify({ state: 's', questions: Object.fromEntries(entries) }), rotations);
  };
  t.strictSame([limitOf(1), limitOf(16), limitOf(17), limitOf(8, 2)], [300_000, 300_000, 360_000, 300_000]);
  t.equal(limitOf(16, 26), 300_000 + 25 * 60_000);
});

/** A report without what differs between targets. */
const metricsOf = ({ target, ...metrics }: EvaluationReport) => metrics;

test('the temperature of each question is known, whatever questions are measured', async (t) => {
  const folder = dataFolder(t);
  const models = modelsFolder(
    folder,
    {},
    { temperatures: { noul: 1.5, choice: 2, 'score.2': 0.5, score: 3 } },
  );
  const target = await openEngine(models, false);
  t.teardown(() => target.close());
  t.match(target.calibrations, { 'tiny-20260101': /^[0-9a-f]{16}$/ });
  const questions = {
    b: { type: 'score', criteria: ['low', 'high'] },
    a: { type: 'noul' },
    c: { type: 'choice', criteria: ['x', 'y', 'z'] },
    d: { type: 'score', criteria: ['low', 'middle', 'high'] },
  };
  const request = { state: 'x', questions };
  const asked = readCase(
    Buffer.from(JSON.stringify({ id: '1', request, expected: { d: 0, c: 'y', b: 1 } })),
    1,
  );
  const outcome = await target.ask(JSON.stringify(request), 1);
  if ('busy' in outcome || 'error' in outcome) throw new Error('no answer');
  const { answered } = readResponse(asked, outcome.response, outcome.temperatures);
  t.strictSame(
    answered.map(({ question, temperature }) => [question, temperature]),
    [
      ['d', 3],
      ['c', 2],
      ['b', 0.5],
    ],
  );
  for (const { raw, probabilities } of answered) {
    t.ok(raw?.every((p, at) => Math.abs(p - (probabilities[at] ?? 2)) <= 1e-4));
  }
});

test('modes and builds are compared question by question; only the models that are needed are loaded', async (t) => {
  const folder = dataFolder(t);
  const file = join(folder, 'cases.jsonl');
  writeCases(file, random(1), 20);
  const cases = readCases(file);
  const models = twoBuilds(folder);
  const [first, second] = ['tiny-20260101', 'tiny-20260201'] as const;
  const opened: boolean[] = [];
  const open = (exact: boolean) => async () => {
    opened.push(exact);
    return openEngine(models, exact, [first]);
  };
  const evaluated = await ask(cases, join(folder, 'a'), open(false), {
    variants: { ...PLAIN, modes: true },
    openOtherMode: open(true),
    model: first,
  });
  t.strictSame(opened, [false, true]);
  const { mode_difference: modes, models: answered } = reportOf(cases, evaluated);
  t.strictSame(answered, [first]);
  t.match(modes, { questions: 60, changed: { value: Number } });
  t.ok((modes?.largest ?? 1) < 0.01, `${modes?.largest}`);

  await ask(cases, join(folder, 'b'), () => openEngine(models, false, [second]), { model: second });
  const [a, b] = [readStored(join(folder, 'a')), readStored(join(folder, 'b'))];
  const found = compare(cases, [a, b], { seed: 1, resamples: 100 });
  t.match(found, { a: { models: [first] }, b: { models: [second] }, overall: { n: 60 } });
  const { overall } = found ?? {};
  t.ok(overall !== undefined && overall.mean > 0 && overall.mean < 0.05, `${overall?.mean}`);
  t.equal(overall?.brier.difference, (overall?.brier.b ?? 0) - (overall?.brier.a ?? 0));
  const same = compare(cases, [a, a], { seed: 1, resamples: 100 });
  t.match(same?.overall, { changed: 0, largest: 0, accuracy: { difference: 0 } });
});

/** One model with the build of 1 January in 16 bits, and the build of 1 February in 32. */
function twoBuilds(folder: string): string {
  const models = modelsFolder(folder, { type: 'f16' });
  const other = modelsFolder(join(folder, 'other'), {});
  const file = join(models, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const [build] = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8')).models[0].builds;
  manifest.models[0].builds.push({
    ...build,
    date: '20260201',
    file: join('..', 'other', 'models', build.file),
  });
  writeFileSync(file, JSON.stringify(manifest));
  return models;
}
