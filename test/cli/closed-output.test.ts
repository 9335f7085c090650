import { test } from 'tap';
import { decider } from '../support/cli.js';
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
