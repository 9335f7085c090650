import { createHash } from 'node:crypto';
import { test } from 'tap';
import { ReadTurns, TURN_BYTES } from '../../src/http/transport/node-exchange.js';
import { request } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('bodies that receive too many bytes in one turn of the event loop wait for the next turn', async (t) => {
  const turns = new ReadTurns();
  const events: string[] = [];
  const body = (name: string) => ({
    pause: () => events.push(`${name} waits`),
    resume: () => events.push(`${name} goes on`),
  });
  const [one, other] = [body('one'), body('other')];
  turns.read(one, TURN_BYTES - 1);
  t.strictSame(events, []);
  turns.read(other, 1);
  turns.read(one, 1);
  turns.read(one, 1);
  t.strictSame(events, ['other waits', 'one waits', 'one waits']);
  await turn();
  t.strictSame(events.slice(3), ['other goes on', 'one goes on']);
  turns.read(one, TURN_BYTES - 1);
  await turn();
  turns.read(other, TURN_BYTES - 1);
  await turn();
  t.equal(events.length, 5, 'each turn counts anew');
});

onBoth('large concurrent bodies arrive complete', async (t, transport) => {
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const { ask } = await serve(t, transport, async ({ body }) => JSON.stringify(digest(body)));
  const bodies = Array.from({ length: 6 }, (_, at) => {
    const body = Buffer.alloc(3 * TURN_BYTES, at);
    for (let place = 0; place < body.length; place += 4_096) body.writeUInt32LE(place, place);
    return body;
  });
  const answers = await Promise.all(
    bodies.map((body) => {
      const head = request('POST', '/v1/decide', '', { 'Content-Length': String(body.length) });
      return ask(Buffer.concat([Buffer.from(head), body]));
    }),
  );
  t.strictSame(
    answers.map(({ body }) => body),
    bodies.map((body) => JSON.stringify(digest(body))),
  );
});
