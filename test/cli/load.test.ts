import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import type { LoadResult } from '../../src/load/index.js';
import { SHAPES } from '../../src/load/index.js';
import { ANSWER, sendJson, stubServer } from '../load/stub-server.js';
import { decider, run as runCommand } from '../support/cli.js';
import { read } from '../support/pages.js';

const TOKEN = 'dk_secret';

/** A server that answers at once, and `decider load` on it. `longest`: the most questions of a request that it answers. */
async function beside(t: Test, longest = 16) {
  const bodies: string[] = [];
  let onRequest = () => {};
  const { url } = await stubServer(t, (request, response, body) => {
    bodies.push(body);
    onRequest();
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      sendJson(response, 401, { error: 'Unknown token.', type: 'unauthorized' });
    else if (Object.keys(JSON.parse(body).questions).length > longest)
      sendJson(response, 422, { error: 'It is too long.', type: 'invalid_question' });
    else sendJson(response, 200, ANSWER);
  });
  /** Resolves when so many requests have arrived. */
  const arrived = (count: number) =>
    new Promise<void>((resolve) => {
      onRequest = () => {
        if (bodies.length >= count) resolve();
      };
      onRequest();
    });
  const start = (args: readonly string[]) => decider(t, ['load', url, ...args], { DECIDER_TOKEN: TOKEN });
  const run = (args: readonly string[], environment: Record<string, string> = { DECIDER_TOKEN: TOKEN }) =>
    runCommand(t, ['load', url, ...args], environment);
  return { url, bodies, start, run, arrived, folder: t.testdir() };
}

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

test('a table, a JSON file, a page and plain progress lines', async (t) => {
  const { url, start, folder, bodies } = await beside(t);
  const json = join(folder, 'load.json');
  const html = join(folder, 'load.html');
  const files = ['--json', json, '--html', html];
  const args = ['--rates', '100,200', '--seconds', '1', '--warm-up', '0', ...files];
  const { code, stdout, stderr } = await start(args).end();
  t.equal(code, 0);
  t.match(stdout, `server:       ${url}/v1/systemone, stub-20260101\n`);
  t.match(stdout, /^requests\/s +p50 +p90 +p95 +p99 +p99\.9 +max\n +100( +\S+){6}\n +200( +\S+){6}$/m);
  t.match(stdout, /^requests\/s +answered +failed +answered\/s +decisions\/s +tokens\/s +client busy$/m);
  t.match(stdout, /^short +\d+( +\S+){4}$/m);
  t.match(stdout, /Client and server share this machine/);
  t.match(stderr, /^100\/s: \d+ answered, 0 failed, p50 \S+ ms, p95 \S+ ms\n200\/s: .*\n$/);
  t.ok(widest(stdout) <= 80 && widest(stderr) <= 80);
  t.notMatch(stdout + stderr, TOKEN);
  const result: LoadResult = JSON.parse(readFileSync(json, 'utf8'));
  t.match(result, { find: null, interrupted: false, load: { requests: 'mix', seed: 1 } });
  t.notMatch(JSON.stringify(result), TOKEN);
  for (const { answered, failed, decisions_per_second, answered_per_second } of result.steps) {
    t.ok(answered > 50 && failed === 0);
    t.equal(decisions_per_second, 2 * answered_per_second);
  }
  t.match(readFileSync(html, 'utf8'), /^<!doctype html>[\s\S]*>200<\/th>[\s\S]*<\/html>\n$/);
  const answered = result.steps.reduce((sum, step) => sum + step.answered, 0);
  t.equal(bodies.length, answered + 6, 'every request is counted, except those of the probe');
});

test('the mix gives way to short requests if its long ones do not fit the model', async (t) => {
  const { run, folder, bodies } = await beside(t, 3);
  const json = join(folder, 'load.json');
  const step = ['--rates', '50', '--seconds', '1', '--warm-up', '0', '--json', json];
  const mixed = await run([...step, '--model', 'own']);
  t.equal(mixed.code, 0, mixed.stderr);
  t.match(
    mixed.stderr,
    /^The long requests of --shape mix do not fit the context window of the model\. Short requests are sent: --shape short\.\n--model own: answers come from stub-20260101\.\n50/,
  );
  t.match(JSON.parse(readFileSync(json, 'utf8')), {
    load: { requests: 'short' },
    steps: [{ failed: 0 }],
  });
  const sizes = bodies.map((body) => Object.keys(JSON.parse(body).questions).length);
  t.strictSame(
    sizes.filter((size) => size > 3),
    [16],
    'one long request is sent',
  );
  const long = await run([...step, '--shape', 'one_state']);
  t.match(long, {
    code: 1,
    stderr:
      /^\S+ refused the first request \(422 invalid_question\): It is too long\. Give --shape short, or other requests with --cases\.\n$/,
  });
  const short = await run([...step, '--shape', 'short', '--model', 'stub']);
  t.notMatch(short.stderr, /answers come from|mix/);
});

test('requests in the form of the Decisions API', async (t) => {
  const { start, bodies, folder } = await beside(t);
  const cases = join(folder, 'cases.jsonl');
  const request = { state: 'It rains.', questions: { wet: { type: 'noul' } } };
  writeFileSync(cases, `${JSON.stringify({ id: '1', request, expected: { wet: true } })}\n`);
  const step = ['--path', '/v1/decisions', '--rates', '50', '--seconds', '1', '--warm-up', '0'];
  const ofCases = await start([...step, '--cases', cases, '--model', 'own']).end();
  t.equal(ofCases.code, 0, ofCases.stderr);
  t.match(ofCases.stdout, /\/v1\/decisions, stub-20260101/);
  t.strictSame(
    [...new Set(bodies.splice(0))].map((body) => JSON.parse(body)),
    [{ model: 'own', input: 'It rains.', questions: [{ type: 'predicate', name: 'wet' }] }],
  );
  const generated = await start([...step, '--shape', 'sixteen']).end();
  t.equal(generated.code, 0, generated.stderr);
  for (const body of bodies) {
    const { model, input, questions } = JSON.parse(body);
    t.strictSame([model, typeof input, questions.length], ['default', 'string', 16]);
  }
});

test('requests of a cases file, for a model', async (t) => {
  const { start, bodies, folder } = await beside(t);
  const cases = join(folder, 'cases.jsonl');
  const request = { state: 'It rains.', questions: { wet: { type: 'noul' } } };
  writeFileSync(cases, `${JSON.stringify({ id: '1', request, expected: { wet: true } })}\n\n`);
  const args = ['--cases', cases, '--rates', '50', '--seconds', '1', '--warm-up', '0', '--model', 'own'];
  const { code, stdout } = await start(args).end();
  t.equal(code, 0);
  t.match(stdout, `requests:     ${cases}, seed 1`);
  t.strictSame(
    [...new Set(bodies)].map((body) => JSON.parse(body)),
    [{ ...request, model: 'own' }],
  );
});

test('Ctrl-C prints what was measured and writes the file', async (t) => {
  const { start, arrived, folder } = await beside(t);
  const json = join(folder, 'load.json');
  // On one connection, a request arrives after the client has the answer to the one before it.
  const args = ['--connections', '1', '--seconds', '600', '--warm-up', '0', '--json', json];
  const command = start(['--rates', '50', ...args]);
  await arrived(60);
  command.child.kill('SIGINT');
  const { code, stdout, stderr } = await command.end();
  t.equal(code, 130);
  t.match(stderr, /^50\/s: \d+ answered, 0 failed, .*, interrupted\n$/);
  t.match(stdout, /^ +50( +\S+){6}$/m);
  t.match(stdout, /Interrupted: the last step is not complete\./);
  const { interrupted, steps }: LoadResult = JSON.parse(readFileSync(json, 'utf8'));
  t.equal(interrupted, true);
  t.ok((steps[0]?.answered as number) >= 40 && (steps[0]?.seconds as number) < 600);
});

test('--find says how long it takes, and prints what it found when it is interrupted', async (t) => {
  const { start, arrived, bodies } = await beside(t);
  const short = ['--find', 'p95=30s', '--minutes', '1'];
  const refused = await start([...short, '--seconds', '60']).end();
  t.equal(refused.code, 1);
  t.match(refused.stderr, /^minutes: 1 is too short: the first step takes 3003 s\. Give at least 52\.\n$/);
  const command = start(['--find', 'p95=250ms', '--minutes', '30', '--seconds', '600']);
  await arrived(bodies.length + 60);
  command.child.kill('SIGINT');
  const { code, stdout, stderr } = await command.end();
  t.equal(code, 130);
  t.match(
    stderr,
    /^Search from \S+ requests\/s, where a step takes 603 s\.\nMost searches have 6 to 10 steps: 60 to 101 minutes\. It ends after 30\.\n/,
  );
  t.match(stdout, /No measured rate meets p95 ≤ 250 ms\. The search was interrupted\./);
  t.ok(widest(stdout) <= 80 && widest(stderr) <= 80);
});

test('mistakes end with one line', async (t) => {
  const { run, bodies, folder } = await beside(t);
  writeFileSync(join(folder, 'bad.jsonl'), '{"id":"1"}\n');
  const mistakes: readonly [
    pattern: RegExp,
    args: readonly string[],
    environment?: Record<string, string>,
  ][] = [
    [/^token: the server does not accept it \(401\)/, [], {}],
    [/^json: the folder of .* does not exist/, ['--json', join(folder, 'none', 'load.json')]],
    [/bad\.jsonl:1: `request` is missing/, ['--cases', join(folder, 'bad.jsonl')]],
    [/^seconds: "0" is not a whole number from 1 to 3600/, ['--seconds', '0']],
    [/^find: "p95" is not a target/, ['--find', 'p95']],
    [/^minutes: give --find, too\./, ['--minutes', '2']],
    [/^minutes: "0" is not a whole number from 1 to 1440/, ['--find', 'p95=1s', '--minutes', '0']],
    [/^find: "p95=31s" is longer than --timeout/, ['--find', 'p95=31s']],
    [/^rates: "1,0" is not a list/, ['--rates', '1,0']],
    [/^rates: 100000 requests\/s for 103 s are too many/, ['--rates', '100000', '--seconds', '100']],
    [/cannot be read: ENOENT/, ['--cases', join(folder, 'none.jsonl')]],
    [/^token: only printable ASCII/, ['--token', 'a b']],
    [/^path: "v1" does not begin with "\/"/, ['--path', 'v1']],
  ];
  const ends = await Promise.all(mistakes.map(([, args, environment]) => run(args, environment)));
  for (const [index, { code, stdout, stderr }] of ends.entries()) {
    const [pattern, args] = mistakes[index] as (typeof mistakes)[number];
    t.strictSame([code, stdout], [1, ''], args.join(' '));
    t.match(stderr, pattern);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
  }
  t.equal(bodies.length, 1, 'only the missing token was noticed by the server');
  t.notOk(existsSync(join(folder, 'none')));
});

test('the help names every shape', async (t) => {
  const [, help] = read('docs/cli.md').split('Usage: decider load') as [string, string];
  for (const shape of Object.keys(SHAPES)) t.match(help, `"${shape}"`);
});
