import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { entryFile, Interrupted, random } from '../../src/base/index.js';
import { runBounded } from '../../src/engine/index.js';
import { ChangingModels, type ModelFile } from '../support/changing-models.js';
import { Command, decider, run } from '../support/cli.js';
import { writeCases } from '../support/evaluation/cases.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { ROOT } from '../support/sources.js';
import { until } from '../support/until.js';

const NO_LINUX = process.platform !== 'linux' && 'there is no /proc here';
const LIMITS = { milliseconds: 60_000, dataBytes: null };

test('a child that a signal to the whole command ends is no fault of what it does', async (t) => {
  const folder = t.testdir(
    Object.fromEntries(
      ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGKILL', 'SIGSEGV'].map((signal) => [
        `${signal}.mjs`,
        `process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000);`,
      ]),
    ),
  );
  const ended = (signal: string) => runBounded(join(folder, `${signal}.mjs`), {}, 1, LIMITS);
  // To all processes of a service, as by a reload that `systemctl kill` sends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)
    await t.rejects(ended(signal), new Interrupted(signal), signal);
  for (const signal of ['SIGKILL', 'SIGSEGV']) t.match(await ended(signal), { ending: signal });
});

/** The processes that the main thread of a process has started. */
const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

/** Starts a command as a terminal does, in a process group of its own, and sends Ctrl-C to all of it once it has a child. */
async function interrupted(t: Parameters<typeof dataFolder>[0], args: readonly string[], models: string) {
  const child = spawn(process.execPath, [fileURLToPath(entryFile('cli/main')), ...args], {
    env: {
      PATH: process.env.PATH,
      DECIDER_MODELS: models,
      DECIDER_DATA: dataFolder(t),
      DECIDER_ENGINE_THREADS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const command = new Command(child);
  const pid = child.pid as number;
  t.teardown(() => {
    child.kill('SIGKILL');
  });
  await until(() => childrenOf(pid) !== '');
  process.kill(-pid, 'SIGINT');
  const { stderr, stdout } = await command.end();
  return { status: child.signalCode ?? child.exitCode, stderr, stdout };
}

test('Ctrl-C while a command checks a model file', { skip: NO_LINUX }, async (t) => {
  const folder = t.testdir();
  const cases = join(folder, 'cases.jsonl');
  const archive = join(folder, 'archive');
  writeCases(cases, random(1), 2);
  const models = modelsFolder(dataFolder(t));
  const evaluated = await interrupted(t, ['eval', cases, '--archive', archive], models);
  t.equal(evaluated.status, 130);
  t.match(evaluated.stderr, /^Stopped before the first request\. To start again, repeat the command\.$/m);
  t.strictSame(readdirSync(folder), ['cases.jsonl']);

  const own = dataFolder(t);
  const file = join(
    models,
    JSON.parse(readFileSync(join(models, 'manifest.json'), 'utf8')).models[0].builds[0].file,
  );
  const added = await interrupted(t, ['models', 'add', file, '--id', 'other'], own);
  t.equal(added.status, 130);
  t.match(added.stderr, /^Stopped\./m);
  t.strictSame(readdirSync(own), []);

  for (const args of [['models', 'check'], ['tune']]) {
    const { status, stderr } = await interrupted(t, args, models);
    t.ok(status === 'SIGINT' || status === 130, String(status));
    t.notMatch(stderr, /SIGINT|ended the/);
  }
});

/** Sends SIGTERM to the children of a command alone, again and again until it has `ended`. */
async function endChildren(command: Command, ended: Promise<unknown>): Promise<void> {
  const pid = command.child.pid as number;
  let hasEnded = false;
  const watch = ended.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    ifRunning(() => {
      const children = childrenOf(pid).split(' ').filter(Boolean);
      for (const child of children) ifRunning(() => process.kill(Number(child), 'SIGTERM'));
    });
    await setImmediate();
  }
  await watch;
}

/** Does something to a process, or nothing if it has ended: it can end between a check and a signal. */
function ifRunning(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const CHECK_ENDED = /SIGTERM ended a process that this one had started for a check\. Try again\./;

test('SIGTERM to the checking process alone is no request to stop', { skip: NO_LINUX }, async (t) => {
  const folder = dataFolder(t);
  const models = new ChangingModels(folder);
  const [one, two] = [1, 2].map((seed) => models.model(seed)) as [ModelFile, ModelFile];
  models.serve([{ date: '20260101', ...one }]);
  const environment = { DECIDER_DATA: join(folder, 'data'), DECIDER_MODELS: models.path };
  const failing = decider(t, ['serve'], environment);
  const end = failing.end();
  await endChildren(failing, end);
  const { code, stderr } = await end;
  t.equal(code, 1);
  t.match(stderr, CHECK_ENDED);

  const server = decider(t, ['serve'], environment);
  await server.line(/^try: /);
  models.serve([{ date: '20260102', ...two }]);
  server.child.kill('SIGHUP');
  const refused = server.line(/^not reloaded: /);
  await endChildren(server, refused);
  t.match(await refused, CHECK_ENDED);
  // The models of before are still there: the next reload replaces them.
  t.match(await run(t, ['reload'], environment), {
    code: 0,
    stdout: 'changed: manifest, added tiny-20260102, removed tiny-20260101',
  });
  server.child.kill('SIGTERM');
  t.equal((await server.end()).code, 0);
});

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
/** A program that starts a child whose main thread never returns to its event loop, and names it. */
const BUSY = `import { endWithParent } from ${source('base/index.js')};
import { writeFileSync } from 'node:fs';
endWithParent(Number(process.argv[2]));
writeFileSync(new URL('pid', import.meta.url), String(process.pid));
for (;;);`;
const PARENT = `import { fileURLToPath } from 'node:url';
import { runBounded } from ${source('engine/index.js')};
await runBounded(fileURLToPath(new URL('busy.mjs', import.meta.url)), {}, 1, { milliseconds: 600_000, dataBytes: null });`;

test('a child that computes ends soon after its parent, however that has ended', {
  skip: NO_LINUX,
}, async (t) => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const folder = t.testdir({ [signal]: { 'parent.mjs': PARENT, 'busy.mjs': BUSY } });
    const parent = spawn(process.execPath, [join(folder, signal, 'parent.mjs')], { stdio: 'inherit' });
    const note = join(folder, signal, 'pid');
    const named = () => existsSync(note) && readFileSync(note, 'utf8') !== '';
    await until(named);
    const pid = Number(readFileSync(note, 'utf8'));
    t.teardown(() => ifRunning(() => process.kill(pid, 'SIGKILL')));
    t.ok(isRunning(pid), signal);
    parent.kill(signal);
    await until(() => !isRunning(pid));
  }
});

test('processes that open a model end with the command that has started them', (t) => {
  for (const path of [
    'engine/check/check-process',
    'engine/memory/measure-process',
    'tuning/process/probe-process',
  ])
    t.match(
      readFileSync(join(ROOT, `src/${path}.ts`), 'utf8'),
      'endWithParent(Number(process.argv[2]));',
      path,
    );
  t.end();
});

/** A process that has ended and was not waited for yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
