import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { type Calibrations, evaluate, mixedTemperatures, readCases } from '../../src/evaluation/index.js';
import { Outcomes } from '../../src/evaluation/outcomes.js';
import type { Target } from '../../src/evaluation/targets/target.js';

const PLAIN = { order: false, format: false, modes: false, averages: [] as readonly number[] };
const REQUEST = { state: 'x', questions: { team: { type: 'choice', criteria: ['a', 'b', 'c'] } } };

/** Runs of one case against an engine of which only the calibrations are known. */
function prepare(t: Test) {
  const folder = t.testdir({});
  const file = join(folder, 'cases.jsonl');
  writeFileSync(file, `${JSON.stringify({ id: '1', request: REQUEST, expected: { team: 'b' } })}\n`);
  const archive = join(folder, 'a.jsonl');
  const cases = readCases(file);
  const asked: string[] = [];
  const target = (calibrations: Calibrations | undefined, temperature: number): Target => ({
    description: { kind: 'engine', backend: 'cpu', exact: true },
    ...(calibrations && { calibrations }),
    concurrency: 1,
    async ask(_, rotations) {
      asked.push(`${rotations} orders`);
      const answer = { type: 'choice', choice: 'b', probabilities: { a: 0.2, b: 0.7, c: 0.1 } };
      const response = {
        model: 'm-1',
        answers: { team: answer },
        usage: { input_tokens: 1, output_tokens: 1 },
      };
      return { response, temperatures: { team: temperature } };
    },
    async close() {},
  });
  const run = (
    calibrations: Calibrations | undefined,
    {
      temperature = 1,
      other = calibrations,
      ...variants
    }: Partial<typeof PLAIN> & {
      temperature?: number;
      other?: Calibrations | undefined;
    } = {},
  ) =>
    evaluate({
      cases,
      variants: { ...PLAIN, ...variants },
      model: null,
      archive,
      resume: true,
      signal: new AbortController().signal,
      openTarget: async () => target(calibrations, temperature),
      openOtherMode: async () => target(other, temperature),
      onProgress: () => {},
      wait: async () => {},
    });
  return { run, asked, archive, cases: cases.cases };
}

test('an archive is not continued with other temperatures, files or builds', async (t) => {
  const { run, asked, archive } = prepare(t);
  await run({ 'm-1': 'a', 'n-1': 'b' });
  const before = readFileSync(archive, 'utf8');
  t.match(JSON.parse(before.split('\n')[0] as string), { calibrations: { 'm-1': 'a', 'n-1': 'b' } });
  const averages = { averages: [2] };
  await t.rejects(run({ 'm-1': 'a', 'n-1': 'c' }, averages), {
    message: `The archive ${archive} was made with other temperatures, another profile or other files of n-1. Undo the change of the manifest and repeat the command with --resume, or name another --archive. --results reports on what was answered before.`,
  });
  await t.rejects(run({ 'm-2': 'a', 'n-1': 'b' }, averages), {
    message: /was made with m-1, n-1, and now m-2, n-1 would answer\. Undo/,
  });
  t.equal(readFileSync(archive, 'utf8'), before);
  await run({ 'n-1': 'b', 'm-1': 'a' }, averages);
  t.strictSame(asked, ['1 orders', '2 orders']);
});

test('the other mode is not asked once the manifest has changed during the run', async (t) => {
  const { run, asked } = prepare(t);
  const modes = { modes: true };
  await t.rejects(run({ 'm-1': 'a' }, { ...modes, other: { 'm-1': 'b' } }), {
    message: /other temperatures, another profile or other files of m-1/,
  });
  t.equal(asked.length, 1);
  const { complete } = await run({ 'm-1': 'a' }, modes);
  t.ok(complete);
  t.equal(asked.length, 2);
});

test('an archive without builds, of an earlier version, can be continued, and a note names different temperatures', async (t) => {
  const { run, cases } = prepare(t);
  const first = await run(undefined);
  t.strictSame(mixedTemperatures(cases, first.outcomes), []);
  const { outcomes } = await run({ 'm-1': 'a' }, { temperature: 1.5, averages: [2] });
  t.strictSame(mixedTemperatures(cases, outcomes), [
    'm-1 answered with different temperatures, because the manifest was changed meanwhile: choice of 3 options with 1 and 1.5. To measure it with one of them, name another --archive.',
  ]);
  t.strictSame(mixedTemperatures(cases, new Outcomes()), []);
});
