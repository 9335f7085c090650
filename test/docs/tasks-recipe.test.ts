import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { Decider } from '../../src/client/index.js';
import { read } from '../support/pages.js';
import { scaled } from '../support/scale.js';
import { ROOT } from '../support/sources.js';
import { messageFile, recipeBlocks, supportMessages } from '../support/tasks/support-messages.js';
import { until } from '../support/until.js';
import { startExampleServer } from './examples-server.js';

// The recipe of docs/tasks.md is run as it stands, against a server with the embedded model.

/** With fewer labels, the question that is accepted often has no threshold. */
const LABELS = scaled({ short: 200, long: 400 });

test('docs/tasks.md: the recipe, from the first question to the first alarm', async (t) => {
  const server = await startExampleServer(t);
  const folder = t.testdir();
  const messages = join(folder, messageFile('labelled'));
  mkdirSync(dirname(messages), { recursive: true });
  const lines = read(messageFile('labelled')).split('\n');
  writeFileSync(messages, `${lines.slice(0, LABELS + 1).join('\n')}\n`);
  writeFileSync(join(folder, messageFile('fresh')), read(messageFile('fresh')));
  const prelude = `set -e; cd "${folder}"; decider() { "${process.execPath}" "${join(ROOT, 'dist/src/cli/main.js')}" "$@"; }`;
  const [, token = ''] = server.headers.authorization.split(' ');
  const run = (block = '') =>
    server.command('bash', ['-c', `${prelude}\n${block}`], { DECIDER_TOKEN: token });

  const [put, ask, label, fit, again, changed, show, ...others] = recipeBlocks();
  t.strictSame(others, []);
  t.match(await run(put), /^task: +support-mail\nversion: +1\n/);
  t.match(JSON.parse(await run(ask)), {
    answers: {
      topic: { accept: null },
      angry: { accept: null },
      refund: { accept: null },
      cancel: { accept: null },
    },
  });
  t.equal(await run(label), `${LABELS} labels are stored. support-mail has ${LABELS} labelled answers.\n`);
  t.match(await run(fit), /^cancel +\d+ +(9\d|100)\.\d % +0\.\d{3} +0\.\d{3} +\d+\.\d % +\d\.\d %$/m);
  t.match(JSON.parse(await run(again)), {
    answers: { topic: { choice: 'cancellation' }, cancel: { accept: true } },
  });
  t.notMatch(await run(show), /^Warning: /m);
  await run(changed);
  const { tasks } = new Decider({ url: server.url, token });
  await until(async () =>
    (await tasks.show('support-mail')).warnings.some(({ question }) => question === 'cancel'),
  );
  t.match(await run(show), /^Warning: The answers to "cancel" have changed: /m);
});

test('the messages of the recipe need no escapes in JSON', async (t) => {
  for (const half of ['labelled', 'fresh'] as const) {
    const messages = supportMessages(half);
    t.equal(messages.length, 400);
    t.strictSame(
      messages.filter(({ state }) => JSON.stringify(state) !== `"${state}"`),
      [],
    );
  }
});
