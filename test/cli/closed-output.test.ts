import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { decider } from '../support/cli.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { modelsFolder } from '../support/server.js';

for (const args of [['doctor'], ['models', 'list'], ['openapi']]) {
  test(`${args.join(' ')}: a reader that has seen enough is no error`, async (t) => {
    const command = decider(t, args, { DECIDER_MODELS: modelsFolder(t.testdir()) });
    command.child.stdout?.destroy();
    const { code, stderr } = await command.end();
    t.equal(stderr, '');
    t.equal(code, 0);
  });
}

for (const args of [['openapi'], ['--help']]) {
  test(`${args}: an output that cannot be written is an error`, async (t) => {
    const { code, stderr } = await decider(t, args, {}, 'exec >/dev/full;').end();
    t.match(stderr, /^standard output: ENOSPC: .*\. The output is incomplete; .*\.\n$/);
    t.equal(code, 1);
  });
}

test('an output of which only a part fits into a file is an error', async (t) => {
  const file = join(t.testdir({}), 'out');
  // 8 KiB of 400.
  const shell = `trap '' XFSZ; ulimit -f 8; exec >'${file}';`;
  const { code, stderr } = await decider(t, ['openapi'], {}, shell).end();
  t.match(stderr, /^standard output: EFBIG: .*\. The output is incomplete; .*\.\n$/);
  t.equal(code, 1);
  t.ok(readFileSync(file).length > 0);
});

test('a reader of messages that has seen enough changes nothing', async (t) => {
  const { cases, archive } = writeRun(t.testdir({}), { cases: 9, seed: 1, temperature: 1, groups: 1 });
  // So that there is a message.
  appendFileSync(cases, '\n');
  const command = decider(t, ['eval', cases, '--results', archive, '--resamples', '9']);
  command.child.stderr?.destroy();
  const { code, stdout } = await command.end();
  t.match(stdout, /^cases: +9 of /);
  t.equal(code, 0);
});

test('serve: keeps answering and drains if its output is not read', async (t) => {
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
  };
  const command = decider(t, ['serve'], environment);
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  await command.line(/^try: /);
  command.child.stdout?.destroy();
  t.equal((await fetch(`${url}/health`)).status, 200);
  command.child.kill('SIGTERM');
  const { code, stderr } = await command.end();
  t.equal(stderr, '');
  t.equal(code, 0);
});
