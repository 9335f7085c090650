// What a container platform does to a process. The commands run from `bin`, as an image runs them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { withShell } from '../support/child.js';
import { Command } from '../support/cli.js';
import { IN_NAMESPACE, insideOf, NO_NAMESPACE } from '../support/namespace.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { ROOT } from '../support/sources.js';
import { until } from '../support/until.js';

const BIN = join(ROOT, 'bin/decider.mjs');
/** Another user of this id would be an accident. */
const USER = '71843';

/** A command with no other variables than these. `shell`: what bash does before. */
function start(t: Test, args: readonly string[], variables: Record<string, string>, shell = ''): Command {
  const [command, ...rest] = withShell(shell, [process.execPath, BIN, ...args]);
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => {
    child.kill('SIGKILL');
  });
  return new Command(child);
}

/** The command that runs as process 1 of a namespace, once it does. */
async function processOne({ child }: { child: ChildProcess }): Promise<number> {
  let pid = Number.NaN;
  await until(() => {
    pid = insideOf(child.pid as number);
    return pid > 0;
  });
  return pid;
}

const serving = (t: Test) => ({
  DECIDER_PORT: '0',
  DECIDER_MODELS: modelsFolder(t.testdir()),
  DECIDER_ENGINE_THREADS: '1',
  DECIDER_ENGINE_MEMORY_CHECK: 'false',
});

test('process 1: a command without handlers of its own ends with a signal', {
  skip: NO_NAMESPACE,
}, async (t) => {
  // A server that never answers.
  const silent = createServer().listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const asked = once(silent, 'connection');
    const command = start(t, ['batches', 'list', '--url', url, '--token', 'dk_x'], {}, IN_NAMESPACE);
    const [socket] = await asked;
    process.kill(await processOne(command), signal);
    t.equal((await command.end()).code, status, signal);
    socket.destroy();
  }
});

/**
 * A root that cannot be written, no temporary folder, /dev/shm without room, and a user without a name or home. Only the
 * volume, in `$volume`, can be written.
 */
const LOCKED_DOWN = `
set -- unshare --mount --pid --fork --mount-proc --kill-child bash -c '
  set -e
  mount --make-rprivate /
  mount --bind "$0" "$0"
  mount -o remount,bind,ro /
  mount -t tmpfs -o ro,noexec tmpfs /dev/shm
  cd "$0"
  exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs "$@" <&-
' "$volume" "$@";`;

test('a read-only root, a user without a name, no temporary folder, no standard input', {
  skip: NO_NAMESPACE,
}, async (t) => {
  // Not in the folder of the tests' data: that is hidden.
  const volume = join(ROOT, 'dist', `volume-${process.pid}`);
  mkdirSync(volume);
  t.teardown(() => rmSync(volume, { recursive: true }));
  const models = modelsFolder(volume);
  const data = join(volume, 'data');
  mkdirSync(data);
  chmodSync(volume, 0o755);
  chownSync(data, Number(USER), Number(USER));
  const shell = `volume=${volume}; ${LOCKED_DOWN}`;
  const variables = { ...serving(t), TMPDIR: '/nonexistent', DECIDER_MODELS: models, DECIDER_DATA: data };
  const server = start(t, ['serve'], variables, shell);
  const url = (await server.line(/^listening on /)).slice('listening on '.length);
  const token = (await server.line(/^token: /)).slice('token: '.length);
  const answer = await fetch(`${url}/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state: 's', questions: { q: { type: 'noul', instructions: 'Is it?' } } }),
  });
  t.equal(answer.status, 200);
  process.kill(await processOne(server), 'SIGTERM');
  const ended = await server.end();
  t.equal(ended.code, 0, ended.stderr);
  for (const args of [['workspaces', 'create', 'w'], ['audit'], ['backup', join(data, 'copy')], ['verify']]) {
    const { code, stdout, stderr } = await start(t, args, variables, shell).end();
    t.equal(code, 0, `${args[0]}: ${stderr}`);
    if (args[0] === 'audit') t.match(stdout, new RegExp(`cli:${USER}`));
  }
});

test('too few open files are one line that names the limit', {
  skip: process.platform !== 'linux' && 'SKIPPED: no /proc here',
}, async (t) => {
  const variables = { ...serving(t), DECIDER_DATA: dataFolder(t) };
  for (const files of [40, 255]) {
    const { code, stdout, stderr } = await start(t, ['serve'], variables, `ulimit -n ${files};`).end();
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, new RegExp(`^The limit of open files is ${files}, and at least 256 [^\n]*\n$`));
  }
  const server = start(t, ['serve'], variables, 'ulimit -n 256;');
  await server.line(/^listening on /);
  server.child.kill('SIGTERM');
  t.equal((await server.end()).code, 0);
});
