import { hostname } from 'node:os';
import { type Test, test } from 'tap';
import { decider } from '../support/cli.js';
import { IN_NAMESPACE, insideOf, NO_NAMESPACE } from '../support/namespace.js';
import { dataFolder, modelsFolder } from '../support/server.js';

/** Two servers that are to share a data folder. */
function serversOf(t: Test) {
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
  };
  const run = (...args: string[]) => decider(t, args, environment);
  const serve = (shell = '') => decider(t, ['serve'], environment, shell);
  return { data: environment.DECIDER_DATA, run, serve };
}

test('two servers on one data folder: the second is refused, also from another container', {
  skip: NO_NAMESPACE,
}, async (t) => {
  const { data, run, serve } = serversOf(t);
  const first = serve();
  await first.line(/^listening on /);
  const served = `The data folder ${data} is served by process ${first.child.pid} on ${hostname()}`;
  for (const shell of ['', IN_NAMESPACE]) {
    const { code, stderr } = await serve(shell).end();
    t.equal(code, 1);
    t.ok(stderr.startsWith(served), stderr);
    t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
  }
  const keys = await decider(t, ['keys', 'list'], { DECIDER_DATA: data }, IN_NAMESPACE).end();
  t.equal(keys.code, 1, 'LMDB does not tell processes of two containers from each other');
  t.match(keys.stderr, /another container.*docker exec/);
  t.equal((await run('keys', 'list').end()).code, 0, 'beside the server');
  t.match((await run('doctor').end()).stdout, new RegExp(`serving +process ${first.child.pid} on`));
});

test('two servers on one data folder: the first is in a container; stopped it serves, killed it does not', {
  skip: NO_NAMESPACE,
}, async (t) => {
  const { serve } = serversOf(t);
  const first = serve(IN_NAMESPACE);
  await first.line(/^listening on /);
  const inside = insideOf(first.child.pid as number);
  process.kill(inside, 'SIGSTOP');
  const second = await serve().end();
  t.equal(second.code, 1, 'a stopped server goes on later');
  t.match(second.stderr, /is served by process 1 on /);
  process.kill(inside, 'SIGKILL');
  await first.end();
  const third = serve();
  await third.line(/^listening on /);
  third.child.kill('SIGTERM');
  t.equal((await third.end()).code, 0);
});
