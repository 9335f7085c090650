import { test } from 'tap';
import type { WebhookOutcome } from '../../src/batch/index.js';
import { lines, turns, until, World } from './world.js';

const ADDRESS = 'https://a.example/x?y';

async function finishedBatch(world: World) {
  const key = world.key();
  const id = await world.submit(key, lines('a', 2), { webhook: ADDRESS });
  await world.finished(key, id);
  await until(() => world.called.length > 0);
  await turns();
  return { key, id };
}

test('three attempts, half a minute and five minutes apart, and none after', async (t) => {
  const world = await World.start(t);
  world.webhook = async () => 'failed';
  const { id } = await finishedBatch(world);
  t.strictSame(world.called, [{ address: ADDRESS, id, status: 'done' }]);
  await world.pass(29);
  t.equal(world.called.length, 1);
  await world.pass(2);
  await until(() => world.called.length === 2);
  await turns();
  await world.pass(298);
  t.equal(world.called.length, 2);
  await world.pass(3);
  await until(() => world.called.length === 3);
  await turns();
  await world.pass(2_000);
  t.equal(world.called.length, 3);
});

test('one that is delivered is not called again, nor after a restart', async (t) => {
  const world = await World.start(t);
  await finishedBatch(world);
  await world.pass(400);
  await world.restart();
  await world.pass(400);
  t.equal(world.called.length, 1);
});

test('attempts and waits go on where they were when the process ended', async (t) => {
  const world = await World.start(t);
  world.webhook = async () => 'failed';
  await finishedBatch(world);
  await world.pass(10);
  await world.restart();
  await world.pass(19);
  t.equal(world.called.length, 1);
  await world.pass(3);
  await until(() => world.called.length === 2);
  await turns();
  await world.restart();
  await world.pass(310);
  await until(() => world.called.length === 3);
  await turns();
  await world.restart();
  await world.pass(400);
  t.equal(world.called.length, 3);
});

test('no more than 16 calls at one time', async (t) => {
  const world = await World.start(t);
  const ends: Array<(outcome: WebhookOutcome) => void> = [];
  world.webhook = () => new Promise((resolve) => ends.push(resolve));
  for (let at = 0; at < 3; at += 1) {
    const key = world.key();
    for (let n = 0; n < 7; n += 1) {
      const id = await world.submit(key, lines(`a${n}`, 1), { webhook: ADDRESS });
      await world.finished(key, id);
    }
  }
  await world.access.flush();
  await turns();
  t.equal(world.called.length, 16);
  ends[0]?.('delivered');
  await until(() => world.called.length === 17);
  for (const end of ends) end('delivered');
  await until(() => world.called.length === 21);
  for (const end of ends) end('delivered');
  t.equal(new Set(world.called.map(({ id }) => id)).size, 21);
});
