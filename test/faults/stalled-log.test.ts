import { spawnSync } from 'node:child_process';
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

/** A pipe that is not read, as standard error; or as `both`. */
function pipe(t: Test, both = ''): string {
  const file = join(t.testdir({}), 'pipe');
  return `mkfifo ${file}; exec 2<>${file} ${both};`;
}

async function start(t: Test, shell: string, ownFolder: string) {
  const port = await freePort();
  const environment = { DECIDER_PORT: String(port), DECIDER_MODELS: modelsFolder(ownFolder) };
  const command = decider(t, ['serve'], environment, shell);
  const health = () => fetch(`http://127.0.0.1:${port}/health`).then((response) => response.status);
  await until(async () => (await health().catch(() => 503)) === 200);
  return { command, port, health };
}

const KINDS = [
  { name: 'a pipe', shell: (t: Test) => pipe(t), skip: false },
  { name: 'a pipe that is standard output too', shell: (t: Test) => pipe(t, '1>&2'), skip: false },
  { name: 'a terminal', shell: () => TERMINAL, skip: NO_TERMINAL },
] as const;

for (const { name, shell, skip } of KINDS) {
  test(`logging: ${name} that is not read stops neither answers nor SIGTERM`, { skip }, async (t) => {
    const before = shell(t);
    const { command, health } = await start(t, before, t.testdirName);
    for (let request = 0; request < REQUESTS; request += 1) {
      if ((await health()) !== 200) t.fail(`request ${request}`);
    }
    command.child.kill('SIGTERM');
    t.equal((await command.end()).code, 0, `signal ${command.child.signalCode}`);
  });
}

test('logging: a second SIGTERM ends at once, with 1, also if the log is not read', async (t) => {
  const before = pipe(t);
  const { command, port, health } = await start(t, before, t.testdirName);
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
});
