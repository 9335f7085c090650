import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { random } from '../../src/base/index.js';
import type { EvaluationReport } from '../../src/evaluation/index.js';
import { decider, run } from '../support/cli.js';
import { writeCases } from '../support/evaluation/cases.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { type Held, startStub } from '../support/evaluation/stub-server.js';
import { until } from '../support/until.js';

const COUNT = 30;
const CONCURRENCY = 3;

/** A cases file in a folder of its own, and the command on it. */
function prepare(t: Test, url: string, count = COUNT) {
  const folder = t.testdir({});
  const cases = join(folder, 'cases.jsonl');
  writeCases(cases, random(1), count);
  const words = (name: string, more: readonly string[]) => [
    'eval',
    cases,
    ...['--url', url, '--concurrency', String(CONCURRENCY), '--resamples', '50'],
    ...['--archive', join(folder, `${name}.archive`), '--json', join(folder, `${name}.json`)],
    ...more,
  ];
  const command = (name: string, ...more: string[]) => run(t, words(name, more));
  /** In a process of its own. */
  const start = (name: string, ...more: string[]) => decider(t, words(name, more));
  const report = (name: string): EvaluationReport =>
    JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  return { folder, cases, command, start, report };
}

test('SIGINT, then --resume: no case is asked twice, and the report is the same', async (t) => {
  const held: Held[] = [];
  let asked: string[] = [];
  let holding = true;
  const { url } = await startStub(t, (request) => {
    asked.push(JSON.stringify(request.body.state));
    if (holding && asked.length > 10) held.push(request);
    else request.answer();
  });
  const { folder, cases, command, start, report } = prepare(t, url);
  const first = start('a');
  await until(() => held.length === CONCURRENCY);
  first.child.kill('SIGINT');
  await first.errorLine(/^Finishing the requests in progress/);
  for (const request of held) request.answer();
  const { code, stderr } = await first.end();
  t.equal(code, 130);
  t.match(stderr, `Stopped after 13 of ${COUNT} requests. Repeat the command with --resume to continue`);
  t.notOk(existsSync(join(folder, 'a.json')));

  holding = false;
  const refused = await command('a');
  t.equal(refused.code, 1);
  t.match(refused.stderr, /^The archive .*a\.archive exists\. Continue it with --resume/);
  t.equal(asked.length, 13);
  const resumed = await command('a', '--resume');
  t.equal(resumed.code, 0, resumed.stderr);
  t.equal(asked.length, COUNT);
  t.equal(new Set(asked).size, COUNT, 'no case is asked twice');
  t.equal(statSync(join(folder, 'a.archive')).mode & 0o777, 0o600);

  asked = [];
  const whole = await command('b');
  t.equal(whole.stderr, '');
  t.equal(whole.code, 0);
  t.strictSame(report('a'), report('b'));
  t.equal(resumed.stdout, whole.stdout);
  t.match(whole.stdout, new RegExp(`^cases: +${COUNT} of cases.jsonl, ${COUNT} answered\\n`));
  t.match(whole.stdout, /^30 noul questions: the target sent only the committed probability/m);
  t.match(report('b'), { overall: { n: 90 }, by_type: { noul: { n: 30 } }, threshold: null });

  asked = [];
  holding = true;
  held.length = 0;
  const killed = start('c', '--model', 'other');
  await until(() => held.length === CONCURRENCY);
  killed.child.kill('SIGKILL');
  await killed.end();
  holding = false;
  const again = await command('c', '--model', 'other', '--resume');
  t.strictSame([again.code, again.stderr], [0, '--model other: answers came from stub-20260101.\n']);
  t.equal(asked.length, COUNT + CONCURRENCY, 'only what was in progress is asked again after a kill');
  t.strictSame(report('c'), report('b'));

  appendFileSync(cases, '\n');
  const archives = ['a', 'b'].map((name) => join(folder, `${name}.archive`));
  const compared = await run(t, ['eval', cases, '--compare', ...archives]);
  t.equal(
    compared.stderr,
    archives
      .map((file) => `${file} was made with another version of cases.jsonl; cases are matched by id.\n`)
      .join(''),
  );
  t.match(compared.stdout, /^other answers: 0\.0 %$[\s\S]*^all +90 +accuracy /m);
});

/** Options that have no meaning for stored answers. */
const STORED: ReadonlyArray<readonly [string, ...string[]]> = [
  ['--url', 'http://127.0.0.1:9'],
  ['--path', '/v1/decide'],
  ['--token', 'dk_1'],
  ['--model', 'm'],
  ['--concurrency', '2'],
  ['--archive', 'x'],
  ['--resume'],
  ['--exact'],
  ['--order-bias'],
  ['--format-bias'],
  ['--mode-difference'],
  ['--rotations', '2'],
];

test('options of asking are refused with stored answers', async (t) => {
  for (const [option, ...value] of STORED) {
    for (const from of [
      ['--results', 'a'],
      ['--compare', 'a', 'b'],
    ]) {
      const { code, stderr } = await run(t, ['eval', 'cases.jsonl', ...from, option, ...value]);
      t.equal(code, 1);
      t.match(stderr, new RegExp(`^error: option '${from[0]} .*' cannot be used with option '${option}[ ']`));
    }
  }
});

test('wrong arguments are refused in one line', async (t) => {
  const { folder, cases } = prepare(t, 'http://127.0.0.1:9', 2);
  const archive = ['--archive', join(folder, 'x')];
  const [one, other] = [1, 2].map(
    (seed) => writeRun(folder, { cases: 2, seed, temperature: 1, groups: 1 }).archive,
  ) as [string, string];
  const wrong: ReadonlyArray<readonly [readonly string[], RegExp]> = [
    [[join(folder, 'none')], /^The cases cannot be read: ENOENT/],
    [[cases, '--format', 'squad'], /^format: must be one of boolq, arc, mmlu, hellaswag, not "squad"/],
    [[cases, '--url', 'http://a', '--exact', ...archive], /^A server chooses its own mode/],
    [[cases, '--token', 'dk_1', ...archive], /^token: give --url, too\.$/m],
    [[cases, '--path', '/v1/decide', ...archive], /^path: give --url, too\.$/m],
    [[cases, '--compare', 'a'], /^compare: name two archives/],
    [[cases, '--compare', one, other], /^compare: .* were made with different cases files\. Repeat one/],
    [[cases, '--model', 'none', ...archive], /^model: the manifest has no none\. Run: decider models list/],
  ];
  const ends = await Promise.all(wrong.map(([args]) => run(t, ['eval', ...args])));
  for (const [at, { code, stderr }] of ends.entries()) {
    t.equal(code, 1);
    t.match(stderr, wrong[at]?.[1] as RegExp);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});
