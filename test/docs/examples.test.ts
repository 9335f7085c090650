import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { ROOT } from '../support/sources.js';
import { startExampleServer } from './examples-server.js';

const EXAMPLES = join(ROOT, 'examples');

const server = await startExampleServer(tap);
const { command: example } = server;
const TOKEN = server.headers.authorization.slice('Bearer '.length);

const python = spawnSync('python3', ['--version']).status === 0;
const skip = python ? false : 'PYTHON 3 IS NOT INSTALLED: the Python examples were NOT tested';
if (!python) process.stderr.write(`\n*** ${skip} ***\n\n`);

test('examples/decide.sh', async (t) => {
  const { model, answers, usage } = JSON.parse(await example('bash', [join(EXAMPLES, 'decide.sh')]));
  t.match(model, /^decider-g-nano-\d{8}$/);
  t.strictSame(Object.keys(answers), ['angry', 'team', 'urgent']);
  t.strictSame(Object.keys(answers.team.probabilities), ['billing', 'technical', 'sales']);
  t.equal(usage.output_tokens, 3);
});

test('examples/decide.ts', async (t) => {
  const printed = await example(process.execPath, [join(ROOT, 'dist/examples/decide.js')]);
  t.match(JSON.parse(printed), {
    model: /^decider-g-nano-\d{8}$/,
    angry: Number,
    team: /^(billing|technical)$/,
    route: /^(billing|technical|review)$/,
    usage: { output_tokens: 2 },
  });
});

test('examples/decide.py', { skip }, async (t) => {
  const printed = await example('python3', [join(EXAMPLES, 'decide.py')]);
  t.match(printed, /^model: +decider-g-nano-\d{8}\nangry: +[01][.\d]*\nteam: +\w+ \(confidence [\d.]+\)\n/);
  t.match(printed, /^tokens: \d+$/m);
});

test('examples report a refusal in one line, and status 1', { skip }, async (t) => {
  const wrong = { TOKEN: 'dk_wrong' };
  const refused = { code: 1, stderr: /^401 unauthorized: [^\n]+\n$/ };
  await t.rejects(example('python3', [join(EXAMPLES, 'decide.py')], wrong), refused);
  await t.rejects(
    example('python3', [join(EXAMPLES, 'batch.py'), join(EXAMPLES, 'cases.jsonl')], wrong),
    refused,
  );
  await t.rejects(example(process.execPath, [join(ROOT, 'dist/examples/decide.js')], wrong), { code: 1 });
});

test('examples/images.py', { skip }, async (t) => {
  const random = await startExampleServer(t, 'models/random');
  const printed = await random.command('python3', [
    join(EXAMPLES, 'images.py'),
    join(EXAMPLES, 'parcel.png'),
  ]);
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => line.split(': ')) as [string, string][];
  t.strictSame(
    lines.map(([name]) => name),
    ['inline', 'multipart'],
  );
  t.match(lines[0]?.[1], /^damaged [01][.\d]*, \d+ tokens$/);
  t.equal(lines[0]?.[1], lines[1]?.[1], 'both ways give the same answer');
});

test('examples/batch.py', { skip }, async (t) => {
  const submit = () => example('python3', [join(EXAMPLES, 'batch.py'), join(EXAMPLES, 'cases.jsonl')]);
  const printed = await submit();
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => line.split(/ (.*)/) as [string, string]);
  t.strictSame(
    lines.map(([id]) => id),
    ['case-1', 'case-2', 'case-3'],
  );
  t.match(JSON.parse(lines[1]?.[1] as string), { angry: { type: 'noul' }, team: { type: 'choice' } });
  t.equal(await submit(), printed, 'a second run collects the same batch');
  const { data } = (await (await fetch(`${server.url}/v1/batches`, { headers: server.headers })).json()) as {
    data: unknown[];
  };
  t.equal(data.length, 1);
});

test('examples/evaluation.jsonl', async (t) => {
  const archive = join(t.testdir({}), 'archive');
  const main = join(ROOT, 'dist/src/cli/main.js');
  const files = [join(EXAMPLES, 'evaluation.jsonl'), '--archive', archive];
  const printed = await example(process.execPath, [
    main,
    'eval',
    ...files,
    '--url',
    server.url,
    '--token',
    TOKEN,
  ]);
  t.match(printed, /^cases: +5 of evaluation\.jsonl, 5 answered$/m);
  t.match(printed, /^models: +decider-g-nano-\d+$/m);
  for (const row of ['all +12', 'noul +5', 'choice +4', 'score +3', 'development +8', 'held-out +4']) {
    t.match(printed, new RegExp(`^${row} +\\d`, 'm'));
  }
});
