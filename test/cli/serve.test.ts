import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { type Command, decider } from '../support/cli.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { dataFolder, modelsFolder } from '../support/server.js';

const run = promisify(execFile);
const FREE = { DECIDER_PORT: '0' };
const OPEN = { DECIDER_HOST: '0.0.0.0', DECIDER_HTTP_ALLOW_PLAIN: 'true' };

test('serve: random weights, a narrow domain, stand-ins and an address that other machines reach are reported once', async (t) => {
  const model = { random_weights: true, domain: 'support messages', answers_for: ['decider-g-12b'] };
  const models = modelsFolder(t.testdir(), {}, model);
  const command = decider(t, ['serve'], { ...FREE, DECIDER_MODELS: models, ...OPEN });
  await command.line(/^try: /);
  t.match(command.lines.join('\n'), /random weights: its answers mean nothing/);
  t.match(command.lines.join('\n'), /is trained only for support messages\./);
  t.match(command.lines.join('\n'), /answers for decider-g-12b/);
  t.equal(command.lines.filter((line) => /^0\.0\.0\.0 \(host\) is served without TLS/.test(line)).length, 1);
});

/** A request that keeps the engine busy for a second or more. `sent` resolves when the system has all of it. */
function longRequest(command: Command, url: string, words = 300) {
  const token = command.lines.find((line) => line.startsWith('token: '))?.slice('token: '.length);
  const questions = Object.fromEntries(
    Array.from({ length: 16 }, (_, i) => [
      `q${i}`,
      { type: 'noul', instructions: `${i} word`.repeat(words) },
    ]),
  );
  const body = JSON.stringify({ state: 'word '.repeat(3_000), questions });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const sending = request(`${url}/v1/decide`, { method: 'POST', headers });
  const status = once(sending, 'response').then(([response]) => (response as IncomingMessage).statusCode);
  const sent = new Promise<void>((resolve) => {
    sending.end(body, resolve);
  });
  return { status, sent };
}

/** The lines that `serve` prints, without those of a machine that takes long to load. */
async function introduction(command: Command): Promise<{ url: string; curl: string }> {
  const curl = (await command.line(/^try: curl /)).slice('try: '.length);
  const lines = command.lines.filter((line) => !line.startsWith('loading '));
  const [, url = ''] = /^listening on (.*)$/.exec(lines[2] as string) ?? [];
  return { url, curl };
}

for (const transport of TRANSPORTS) {
  test(`serve: the printed curl line answers; SIGTERM answers the requests in progress and ends with 0 (${transport})`, async (t) => {
    const command = decider(t, ['serve'], {
      ...FREE,
      DECIDER_MODELS: modelsFolder(t.testdir()),
      DECIDER_HTTP_TRANSPORT: transport,
      // On a busy machine, the long request takes more than the usual minute.
      DECIDER_ENGINE_DEADLINE_MS: '600000',
      DECIDER_HTTP_DRAIN_MS: '600000',
    });
    const { url, curl } = await introduction(command);
    t.match(
      command.lines.filter((line) => !line.startsWith('loading ')),
      [
        /^token: dk_\w{40}$/,
        /^tiny-20260101 on /,
        /^listening on http:\/\/127\.0\.0\.1:\d+$/,
        /^console: http:\/\/127\.0\.0\.1:\d+\/console$/,
        new RegExp(`^process ${command.child.pid}: `),
        /^try: /,
      ],
    );
    const { stdout } = await run('bash', ['-c', `${curl} --silent --fail`]);
    t.match(JSON.parse(stdout), { model: 'tiny-20260101', answers: { angry: { type: 'noul' } } });
    const { status, sent } = longRequest(command, url);
    await sent;
    // What was sent before a request that has been answered has been read.
    t.equal((await fetch(`${url}/health`)).status, 200);
    command.child.kill('SIGTERM');
    t.equal(await status, 200);
    t.equal((await command.end()).code, 0);
  });
}

test('serve: a second SIGTERM ends at once, with 1, and does not wait for the wave in progress', async (t) => {
  const environment = {
    ...FREE,
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_ENGINE_CELLS: '60000',
    DECIDER_ENGINE_WAVE_TOKENS: '60000',
  };
  const command = decider(t, ['serve'], environment);
  const { url } = await introduction(command);
  // A wave of 50,000 tokens takes a minute; the test's own time limit is the proof.
  const { status, sent } = longRequest(command, url, 3_000);
  status.catch(() => {});
  await sent;
  await fetch(`${url}/health`);
  command.child.kill('SIGTERM');
  await command.line(/^draining$/);
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 1);
  await t.rejects(status);
});

test('serve: a drain ends after http.drain_ms, although a request is still arriving', async (t) => {
  const command = decider(t, ['serve'], {
    ...FREE,
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_HTTP_DRAIN_MS: '1',
  });
  const { url, curl } = await introduction(command);
  const [, authorization = ''] = /'(Authorization: [^']+)'/.exec(curl) ?? [];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const head = ['POST /v1/decide HTTP/1.1', 'Host: x', authorization, 'Content-Type: application/json'];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{`);
  t.equal((await fetch(`${url}/health`)).status, 200);
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 0);
  await closed;
  t.equal(answer, '', 'not the 408 of a body that stalls');
});

test('serve: SIGTERM while a model is verified ends with 0', async (t) => {
  const models = modelsFolder(t.testdir());
  // Sparse: no disk is written, but all of it has to be read.
  truncateSync(join(models, 'tiny.gguf'), 64 * 2 ** 30);
  const command = decider(t, ['serve'], { ...FREE, DECIDER_MODELS: models });
  await command.line(/^verifying and loading tiny-20260101, 68\.7 GB$/);
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 0);
});

test('serve: a model that cannot be used ends with 1 and one line', async (t) => {
  const models = modelsFolder(t.testdir(), { vocabulary: { without: ['B'] } });
  const { code, stderr } = await decider(t, ['serve'], { ...FREE, DECIDER_MODELS: models }).end();
  t.equal(code, 1);
  t.match(stderr, /^\S*tiny\.gguf: the letter B is not a single token[^\n]*\n$/);
});

test('serve: a port in use is one line; the next start makes the first key', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const port = String((other.address() as { port: number }).port);
  const environment = { DECIDER_DATA: dataFolder(t), DECIDER_MODELS: modelsFolder(t.testdir()) };
  const taken: readonly Record<string, string>[] = [
    ...TRANSPORTS.map((transport) => ({ DECIDER_PORT: port, DECIDER_HTTP_TRANSPORT: transport })),
    { ...FREE, DECIDER_OPERATOR_PORT: port },
  ];
  for (const each of taken) {
    const command = decider(t, ['serve'], { ...environment, ...each });
    const { code, stderr } = await command.end();
    t.equal(code, 1);
    t.match(stderr, new RegExp(`${port}`));
    t.equal(stderr.trim().split('\n').length, 1, stderr);
    t.notMatch(command.lines.join('\n'), /dk_/);
  }
  // Its token is not among the lines of a start that failed.
  const command = decider(t, ['serve'], { ...environment, ...FREE });
  await command.line(/^token: dk_/);
});

test('settings: an unknown name and a bad value are errors that name the key', async (t) => {
  const file = join(t.testdir({ 'c.json': '{"colour":1}' }), 'c.json');
  for (const [environment, reason] of [
    [{ DECIDER_PORT: '65536' }, /^DECIDER_PORT must be an integer from 0 to 65535, not 65536\.\n$/],
    [{ DECIDER_CONFIG: file }, /c\.json, line 1, column \d+: colour is not a setting/],
  ] as const) {
    const { code, stderr } = await decider(t, ['serve'], environment).end();
    t.equal(code, 1);
    t.match(stderr, reason);
  }
});
