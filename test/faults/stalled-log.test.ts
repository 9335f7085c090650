import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { decider } from '../support/cli.js';
import { freePort } from '../support/free-port.js';
import { scaled } from '../support/scale.js';
import { modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

/** Their log lines are more than a pipe holds, which is 64 KiB. */
const REQUESTS = scaled({ short: 500, long: 1_000 }, 'REQUESTS');

const NO_TERMINAL =
  spawnSync('python3', ['-c', 'import pty; pty.openpty()']).status !== 0 &&
  'SKIPPED: no terminal can be made here (python3)';
/** Its standard error is a terminal whose other side it has itself, and does not read. */
const TERMINAL = `set -- python3 -c 'import os, pty, sys
master, terminal = pty.openpty()
os.set_inheritable(master, True)
os.dup2(terminal, 2)
os.execvp(sys.argv[1], sys.argv[1:])' "$@";`;

/** What a full pipe holds at least: another line may not fit. */
const FULL_BYTES_MIN = 60_000;

/** What standard error of the server is. `held`: the bytes in it. */
interface Unread {
  readonly shell: string;
  readonly held: () => number;
}

/** A pipe that is not read before `held`, as standard error; or as `both`. */
function pipe(t: Test, both = ''): Unread {
  const file = join(t.testdir({}), 'pipe');
  execFileSync('mkfifo', [file]);
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  t.teardown(() => closeSync(descriptor));
  return {
    shell: `exec 2<>${file} ${both};`,
    held: () => readSync(descriptor, Buffer.alloc(2 ** 20)),
  };
}

async function start(t: Test, shell: string, ownFolder: string) {
  const port = await freePort();
  const environment = {
    DECIDER_PORT: String(port),
    DECIDER_MODELS: modelsFolder(ownFolder),
    // Successful health checks are logged at this level.
    DECIDER_LOG_LEVEL: 'debug',
  };
  const command = decider(t, ['serve'], environment, shell);
  const health = () => fetch(`http://127.0.0.1:${port}/health`).then((response) => response.status);
  await until(async () => (await health().catch(() => 503)) === 200);
  return { command, port, health };
}

const KINDS = [
  { name: 'a pipe', unread: (t: Test) => pipe(t), skip: false },
  { name: 'a pipe that is standard output too', unread: (t: Test) => pipe(t, '1>&2'), skip: false },
  { name: 'a terminal', unread: () => ({ shell: TERMINAL, held: null }), skip: NO_TERMINAL },
] as const;

for (const { name, unread, skip } of KINDS) {
  test(`logging: ${name} that is not read stops neither answers nor SIGTERM`, { skip }, async (t) => {
    const { shell, held } = unread(t);
    const { command, health } = await start(t, shell, t.testdirName);
    for (let request = 0; request < REQUESTS; request += 1) {
      if ((await health()) !== 200) t.fail(`request ${request}`);
    }
    command.child.kill('SIGTERM');
    t.equal((await command.end()).code, 0, `signal ${command.child.signalCode}`);
    if (held !== null) t.ok(held() > FULL_BYTES_MIN, 'the pipe is full');
  });
}

test('logging: a second SIGTERM ends at once, with 1, also if the log is not read', async (t) => {
  const { shell, held } = pipe(t);
  const { command, port, health } = await start(t, shell, t.testdirName);
  for (let request = 0; request < REQUESTS; request += 1) await health();
  const token = (await command.line(/^token: /)).slice('token: '.length);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  const head = [
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 9',
  ];
  await new Promise<void>((resolve) => {
    socket.write(`POST /v1/decide HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`, () => resolve());
  });
  // What was sent before a request that has been answered has been read.
  t.equal(await health(), 200);
  command.child.kill('SIGTERM');
  await command.line(/^draining$/);
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 1);
  t.ok(held() > FULL_BYTES_MIN, 'the pipe is full');
});
