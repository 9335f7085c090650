import { getEventListeners } from 'node:events';
import { test } from 'tap';
import { sendPieces } from '../../src/http/transport/send-pieces.js';

test('pieces are sent in order, each when there is room; one listener is enough', async (t) => {
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
    onRoom: (resume: () => void) => {
      most = Math.max(most, getEventListeners(signal, 'abort').length);
      setImmediate(resume);
    },
  };
  const pieces = Array.from({ length: 200 }, (_, at) => Uint8Array.of(at));
  t.equal(await sendPieces(pieces, sink), true);
  t.strictSame(
    sent,
    pieces.map(([first]) => first),
  );
  t.equal(most, 1);
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
    onRoom: () => {},
  });
  gone.abort();
  t.equal(await sending, false);
  t.ok(made <= 1);
});
