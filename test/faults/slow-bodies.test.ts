// Two callers open connections that announce the largest body and send a byte now and then; another one goes on.
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { BODY_DEADLINES } from '../../src/http/index.js';
import { median, startForCallers } from '../support/callers.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { movableClock } from '../support/movable-clock.js';
import { scaled } from '../support/scale.js';

/** Of each of two keys. Eight were once enough to lock out all other keys. */
const SOCKETS = scaled({ short: 8, long: 32 }, 'SOCKETS');
const TEXTS = 20;
const QUESTIONS = { q: { type: 'choice', criteria: ['a', 'b', 'c'] } };
/** A short request behind which white space follows. */
const LARGEST = Buffer.from(
  JSON.stringify({ state: 'a text', questions: QUESTIONS }).padEnd(LIMITS.bodyBytes, ' '),
);

for (const transport of ['uws', 'node']) {
  test(`two keys that trickle 32 MiB over ${SOCKETS} sockets each do not delay other keys (${transport})`, {
    timeout: 600_000,
  }, async (t) => {
    const clock = movableClock();
    const { port, caller } = await startForCallers(t, { DECIDER_HTTP_TRANSPORT: transport }, { clock });
    const tokens = [caller('bad'), caller('worse')].map(({ token }) => token);
    const good = caller('good');
    const sockets = await Promise.all(
      Array.from({ length: 2 * SOCKETS }, async (_, at) => {
        const socket = await RawClient.connect(port);
        t.teardown(() => socket.destroy());
        const headers = {
          Authorization: `Bearer ${tokens[at % 2]}`,
          'Content-Length': String(LIMITS.bodyBytes),
        };
        await socket.send(request('POST', '/v1/decide', '{', headers));
        return socket;
      }),
    );
    const trickle = () => Promise.all(sockets.map((socket) => socket.send(' ')));
    await trickle();

    const times: number[] = [];
    for (let at = 0; at < TEXTS; at += 1) {
      const start = performance.now();
      const body = JSON.stringify({ state: `the text ${at}`, questions: QUESTIONS });
      t.equal((await good.post('/v1/decide', body)).status, 200);
      times.push(performance.now() - start);
      await trickle();
    }
    const start = performance.now();
    t.equal((await good.post('/v1/decide', LARGEST)).status, 200, 'the largest body is answered');
    t.comment(
      `text: median ${median(times).toFixed(1)} ms; 32 MiB: ${(performance.now() - start).toFixed(0)} ms`,
    );

    clock.advance(BODY_DEADLINES.stallMs);
    for (const socket of sockets) t.equal((await socket.response()).status, 408);
  });
}
