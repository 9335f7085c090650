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

test('a disconnect ends the wait for room, and the sending', async (t) => {
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

test('pieces that are made on another thread: none is requested before there is room for it', async (t) => {
  const gone = new AbortController();
  const events: string[] = [];
  const pieces = (async function* () {
    for (let made = 0; made < 3; made += 1) {
      events.push(`make ${made}`);
      await new Promise((resolve) => setImmediate(resolve));
      yield Uint8Array.of(made);
    }
  })();
  const sink = {
    signal: gone.signal,
    write: ([first]: Uint8Array) => {
      events.push(`send ${first}`);
      return false;
    },
    onRoom: (resume: () => void) => {
      setImmediate(() => {
        events.push('room');
        resume();
      });
    },
  };
  t.equal(await sendPieces(pieces, sink), true);
  t.strictSame(
    events,
    [0, 1, 2].flatMap((at) => [`make ${at}`, `send ${at}`, 'room']),
  );
});

test('a client that disconnects while its next piece is made receives nothing more, and no further piece is made', async (t) => {
  const gone = new AbortController();
  let ended = false;
  const pieces = (async function* () {
    try {
      await new Promise((resolve) => setImmediate(resolve));
      yield Uint8Array.of(1);
      t.fail('a second piece is made');
    } finally {
      ended = true;
    }
  })();
  const sink = { signal: gone.signal, write: () => t.fail('a piece is sent'), onRoom: () => {} };
  const sending = sendPieces(pieces, sink);
  gone.abort();
  t.equal(await sending, false);
  t.equal(ended, true);
});
