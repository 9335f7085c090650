import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { decider, run as runCommand } from '../support/cli.js';
import { rawStub, refusal, response, type StubAnswer } from '../support/client/raw-stub.js';
import { EngineGate } from '../support/engine-gate.js';
import { startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const line = (customId: string, model = 'tiny') =>
  JSON.stringify({ custom_id: customId, model, state: customId, questions: { q: { type: 'noul' } } });
const lines = (count: number) => Array.from({ length: count }, (_, at) => line(`l${at}`)).join('\n');

/** For tests that leave no open batch. */
const server = shared((t) => startTestServer(t));

/** A server, and `decider batches` beside it with its token in the environment. */
async function beside(t: Test, serving = startTestServer(t)) {
  const server = await serving;
  const token = server.headers.authorization.replace('Bearer ', '');
  const folder = t.testdir();
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const start = (args: readonly string[]) =>
    decider(t, ['batches', ...args, '--url', server.url], { DECIDER_TOKEN: token });
  const run = async (...args: string[]) => {
    const ended = await runCommand(t, ['batches', ...args, '--url', server.url], { DECIDER_TOKEN: token });
    t.notMatch(`${ended.stdout}${ended.stderr}`, token, 'the token is not printed');
    return ended;
  };
  // biome-ignore lint/suspicious/noExplicitAny: what it prints is what the test is about
  const json = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    t.strictSame([code, stderr], [0, '']);
    return JSON.parse(stdout);
  };
  /** Ends with 1, prints nothing to standard output and one line that fits. */
  const mistake = async (pattern: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    t.strictSame([code, stdout], [1, ''], args.join(' '));
    t.match(stderr, pattern);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
  };
  const results = async (id: string) => {
    const reply = await fetch(`${server.url}/v1/batches/${id}/results`, { headers: server.headers });
    return reply.text();
  };
  return {
    server,
    gate: new EngineGate(server.engines),
    token,
    folder,
    file,
    start,
    run,
    json,
    mistake,
    results,
  };
}

test('batches submit --wait --out: the results in a file, the id on standard error', async (t) => {
  const { run, file, folder, results, json } = await beside(t, server());
  const out = join(folder, 'results.jsonl');
  const { code, stdout, stderr } = await run('submit', file('cases.jsonl', lines(5)), '--wait', '--out', out);
  t.strictSame([code, stdout], [0, '']);
  const [, id = ''] = /^(batch_\w{24}): 5 lines\n/.exec(stderr) ?? [];
  t.equal(readFileSync(out, 'utf8'), await results(id));
  t.equal(readFileSync(out, 'utf8').split('\n').length, 6);
  const printed = await run('results', id);
  t.equal(`${printed.stdout}\n`, await results(id), 'without --out they are printed');
  t.match(await json('show', id), { id, status: 'done', counts: { done: 5, failed: 0, pending: 0 } });
});

test('batches results --wait: continues with the id of a batch', async (t) => {
  const { gate, file, json, mistake, run, results } = await beside(t, server());
  gate.hold();
  const { id, status, lines: count } = await json('submit', file('cases.jsonl', lines(5)));
  t.strictSame([status, count], ['queued', 5]);
  await gate.held();
  await mistake(/^batch_not_finished: /, 'results', id);
  const waiting = run('results', id, '--wait');
  gate.open();
  const { code, stdout } = await waiting;
  t.equal(code, 0);
  t.equal(`${stdout}\n`, await results(id));
});

test('batches submit --wait: a signal leaves the batch, and the command says how to wait again', async (t) => {
  const { gate, file, json, start, run, server: holding } = await beside(t, server());
  gate.hold();
  const args = [file('cases.jsonl', lines(5)), '--idempotency-key', 'held'];
  let id = '';
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const waiting = start(['submit', ...args, '--wait', '--out', 'my results.jsonl']);
    id = (await waiting.errorLine(/: 5 lines$/)).slice(0, -': 5 lines'.length);
    waiting.child.kill(signal);
    const { code, stderr } = await waiting.end();
    t.equal(code, status);
    t.equal(
      stderr.trim().split('\n').at(-1),
      `${id} continues on the server. To wait again: decider batches results ${id} --wait --out 'my results.jsonl' --url ${holding.url}`,
    );
  }
  gate.open();
  t.equal((await run('results', id, '--wait')).code, 0);
  t.match(await json('show', id), { id, status: 'done' });
});

test('batches list, show, cancel: as tables and as JSON', async (t) => {
  const { gate, file, json, run, mistake } = await beside(t);
  t.strictSame(await json('list'), []);
  const { id: done } = await json('submit', file('one.jsonl', lines(1)));
  await run('results', done, '--wait');
  gate.hold();
  const { id: open } = await json('submit', file('nine.jsonl', lines(9)));
  await gate.held();
  t.match(await json('list'), [
    { id: done, status: 'done' },
    { id: open, status: 'running', lines: 9 },
  ]);
  const { code, stdout } = await run('list');
  t.equal(code, 0);
  t.match(stdout.split('\n'), [
    /^batch +status +lines +done +failed +created$/,
    new RegExp(`^${done} +done +1 +1 +0 +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ$`),
  ]);
  t.match(
    (await run('show', open)).stdout,
    new RegExp(`^id: +${open}\n(.*\n)*status: +running\n(.*\n)*created_at: +\\S+ \\S+Z\n`),
  );
  t.match(await json('cancel', open), { id: open, status: 'cancelled' });
  t.match((await run('cancel', open)).stdout, /status: +cancelled/);
  gate.open();
  await mistake(/^batch_finished: /, 'cancel', done);
});

test('batches erase: by the operator, in the data folder', async (t) => {
  const { file, json, run, server } = await beside(t);
  const { id } = await json('submit', file('one.jsonl', lines(1)));
  await run('results', id, '--wait');
  const environment = { DECIDER_DATA: server.settings.data };
  const erased = await runCommand(t, ['batches', 'erase', id], environment);
  t.match([erased.code, erased.stdout], [0, `${id} of default is erased: its lines, its results`]);
  t.match(erased.stdout, 'The server removes what it still stores of it within 10 minutes.');
  t.match((await run('results', id)).stderr, /^batch_not_found: /);
  const again = await runCommand(t, ['batches', 'erase', id, '--json'], environment);
  t.match([again.code, again.stderr], [1, `batch: ${id} does not exist, or was deleted.`]);
});

test('batches submit: invalid lines are reported with file and line, and nothing is sent', async (t) => {
  const { server: asked, file, run, json } = await beside(t, server());
  const before = await json('list');
  const bad = file('bad.jsonl', [line('a'), '', '{', line('a'), line('b c'), line('d')].join('\n'));
  const logged = asked.lines.length;
  const { code, stdout, stderr } = await run('submit', bad);
  t.strictSame([code, stdout], [1, '']);
  t.match(stderr.trim().split('\n'), [
    new RegExp(`^${bad}:3: invalid_json: The line is not valid JSON\\.$`),
    new RegExp(`^${bad}:4: duplicate_custom_id: .+\\.$`),
    new RegExp(`^${bad}:5: invalid_custom_id: .+\\.$`),
    /^invalid_batch: 3 of 5 lines are invalid; /,
  ]);
  t.match((await run('submit', file('empty.jsonl', '\n'))).stderr, /^empty_batch: /);
  t.equal(asked.lines.length, logged, 'no request was sent');
  const unknown = file('unknown.jsonl', [line('a'), line('b', 'unknown')].join('\n'));
  const refused = await run('submit', unknown);
  t.equal(refused.code, 1);
  t.match(
    refused.stderr.trim().split('\n'),
    [new RegExp(`^${unknown}:2: model_not_found: .+\\.$`), /^invalid_batch: /],
    'what only the server knows',
  );
  t.strictSame(await json('list'), before);
});

test('batches submit --idempotency-key, --webhook: are sent', async (t) => {
  const { file, json, mistake } = await beside(t, server());
  const cases = file('cases.jsonl', lines(2));
  const { id } = await json('submit', cases, '--idempotency-key', 'a');
  t.equal((await json('submit', cases, '--idempotency-key', 'a')).id, id);
  await mistake(/^idempotency_conflict: /, 'submit', file('other.jsonl', lines(3)), '--idempotency-key', 'a');
  await mistake(/^invalid_webhook_url: /, 'submit', cases, '--webhook', 'http://example.com/');
  for (const option of ['webhook', 'idempotency-key']) {
    await mistake(new RegExp(`^${option}: only printable`), 'submit', cases, `--${option}`, 'é\n');
  }
});

test('batches results --out: a download that breaks leaves the file that was there', async (t) => {
  const breaking = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('{"a"', () => response.destroy());
  });
  breaking.listen(0, '127.0.0.1');
  await once(breaking, 'listening');
  t.teardown(() => breaking.close());
  const folder = t.testdir({ 'results.jsonl': 'of yesterday' });
  const out = join(folder, 'results.jsonl');
  const url = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
  const args = ['batches', 'results', 'batch_1', '--out', out, '--url', url];
  const { code } = await runCommand(t, args, { DECIDER_TOKEN: 'dk_1' });
  t.equal(code, 1);
  t.strictSame(readdirSync(folder), ['results.jsonl']);
  t.equal(readFileSync(out, 'utf8'), 'of yesterday');
});

/** `decider batches` beside a server that sends these answers. */
async function besideStub(t: Test, ...answers: StubAnswer[]) {
  const { url } = await rawStub(t, ...answers);
  const run = (...args: string[]) =>
    runCommand(t, ['batches', ...args, '--url', url], { DECIDER_TOKEN: 'dk_1' });
  return { url, run };
}

/** A proxy has lost the response of the server, and asks for no repetition. */
const LOST_BY_PROXY = response('<html>', '504 Gateway Timeout', 'X-Should-Retry: false\r\n');

test('batches: a doubt is printed exactly if the server may have changed something', async (t) => {
  const folder = t.testdir({ 'cases.jsonl': lines(2) });
  const cases = join(folder, 'cases.jsonl');
  const proxied = await besideStub(t, LOST_BY_PROXY);
  const answered = 'unknown: The server, or a proxy before it, answered with status 504.';
  for (const [args, doubt] of [
    [['submit', cases], ' The batch may have been submitted: look at decider batches list before you '],
    [
      ['submit', cases, '--idempotency-key', 'a'],
      ' The batch may have been submitted. Run the command again: ',
    ],
    [['cancel', 'batch_1'], ' The batch may have been cancelled: look at decider batches show.\n'],
    [['list'], '\n'],
    [['show', 'batch_1'], '\n'],
    [['results', 'batch_1', '--wait'], '\n'],
  ] as const) {
    const { code, stderr } = await proxied.run(...args);
    t.equal(code, 1);
    t.equal(stderr.slice(0, answered.length + doubt.length), `${answered}${doubt}`);
  }
  const cut = await besideStub(t, '');
  t.match((await cut.run('list')).stderr, /did not complete its response \([A-Z_]+\)\.\n$/);
  // It was reached, so that the batch may have been submitted.
  const mail = await besideStub(t, '220 mail\r\n');
  t.match((await mail.run('list')).stderr, /did not complete its response \(HPE_\w+\)\.\n$/);
});

test('batches submit --wait: a failure after the batch was submitted says how to go on', async (t) => {
  const folder = t.testdir({ 'cases.jsonl': lines(2) });
  const cases = join(folder, 'cases.jsonl');
  const out = '/dev/full';
  const submitted = response('{"id":"batch_1","lines":2}');
  const finished = '{"id":"batch_1","lines":2,"results_available":true,"counts":{"done":2,"failed":0}}';
  const full = await besideStub(t, submitted, response(finished), response('{}\n{}\n'));
  const failed = await full.run('submit', cases, '--wait', '--out', out);
  t.equal(failed.code, 1);
  t.match(failed.stderr.split('\n'), [
    'batch_1: 2 lines',
    `batch_1 has finished. To get its results: decider batches results batch_1 --out ${out} --url ${full.url}`,
    /^file: ENOSPC/,
  ]);
  const nowhere = await full.run('submit', cases, '--wait', '--out', join(folder, 'none', 'results'));
  t.match(
    nowhere,
    { code: 1, stderr: /^out: the folder of \S+ does not exist\.\n$/ },
    'nothing is submitted',
  );
  const gone = await besideStub(t, submitted, refusal('batch_not_found', '404 Not Found'));
  const { stderr } = await gone.run('submit', cases, '--wait');
  t.equal(stderr, 'batch_1: 2 lines\nbatch_not_found: A sentence.\n');
});

test('batches submit: --out needs --wait', async (t) => {
  const folder = t.testdir({ 'cases.jsonl': lines(2) });
  const { run } = await besideStub(t, '');
  const alone = await run('submit', join(folder, 'cases.jsonl'), '--out', join(folder, 'results'));
  t.match(alone, { code: 1, stderr: 'out: give --wait, too.\n' });
});

test('batches: every failure is one line and status 1', async (t) => {
  const { file, folder, mistake, json, run, token, server: serving } = await beside(t, server());
  const cases = file('cases.jsonl', lines(2));
  await mistake(/^batch_not_found: /, 'show', 'batch_1');
  await mistake(/^file: ENOENT/, 'submit', join(folder, 'nothing.jsonl'));
  await mistake(/^file: EISDIR/, 'submit', folder);
  const { id } = await json('submit', cases);
  await run('results', id, '--wait');
  await mistake(
    /^out: the folder of .* does not exist/,
    'results',
    id,
    '--out',
    join(folder, 'nowhere', 'results.jsonl'),
  );
  await mistake(/^file: ENOSPC/, 'results', id, '--out', '/dev/full');
  for (const [environment, args, pattern] of [
    [{}, [], /^token: give --token, or set DECIDER_TOKEN\.$/],
    [{ DECIDER_TOKEN: `dk_${'a'.repeat(40)}` }, [], /^unauthorized: /],
    [{ DECIDER_TOKEN: `${token}\né` }, [], /^token: /],
    [{ DECIDER_TOKEN: 'wrong' }, ['--token', token], null],
    [
      { DECIDER_TOKEN: token },
      ['--url', 'http://127.0.0.1:1'],
      /^url: http:\/\/127\.0\.0\.1:1 has a port of another protocol/,
    ],
    [{ DECIDER_TOKEN: token }, ['--url', 'nothing'], /^url: not an http or https URL/],
  ] as const) {
    const { code, stderr } = await runCommand(
      t,
      ['batches', 'list', '--url', serving.url, ...args],
      environment,
    );
    t.equal(code, pattern === null ? 0 : 1);
    t.match(stderr.trim(), pattern ?? /^$/);
    t.notMatch(stderr, token);
  }
});
