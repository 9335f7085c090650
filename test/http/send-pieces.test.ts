import { getEventListeners } from 'node:events';
import { test } from 'tap';
import { roomOrEnd, sendPieces } from '../../src/http/transport/send-pieces.js';

test('pieces are sent in order, each when there is room; nothing listens afterwards', async (t) => {
  const gone = new AbortController();
  const { signal } = gone;
  const sent: number[] = [];
  let most = 0;
  const sink = {
    signal,
    write: (piece: Uint8Array) => {
      sent.push(piece[0] as number);
      return false;
    },
    drained: () =>
      roomOrEnd(signal, (listener) => {
        most = Math.max(most, getEventListeners(signal, 'abort').length);
        setImmediate(listener);
      }),
  };
  const pieces = Array.from({ length: 200 }, (_, at) => Uint8Array.of(at));
  t.equal(await sendPieces(pieces, sink), true);
  t.strictSame(
    sent,
    pieces.map(([first]) => first),
  );
  t.equal(most, 1);
  t.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a client that goes ends the wait for room, and the sending', async (t) => {
  const gone = new AbortController();
  const { signal } = gone;
  let made = 0;
  const pieces = (function* () {
    for (; made < 10; made += 1) yield Uint8Array.of(made);
  })();
  const sending = sendPieces(pieces, {
    signal,
    write: () => false,
    drained: () => roomOrEnd(signal, () => {}),
  });
  gone.abort();
  t.equal(await sending, false);
  t.ok(made <= 1);
  await roomOrEnd(signal, () => {});
  t.equal(getEventListeners(signal, 'abort').length, 0);
});
