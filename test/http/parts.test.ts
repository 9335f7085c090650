import { test } from 'tap';
import { isLoopback, newRequestId } from '../../src/http/index.js';
import { InFlight } from '../../src/http/transport/in-flight.js';

test('isLoopback is true for loopback addresses only', async (t) => {
  for (const host of ['127.0.0.1', '127.255.0.3', '::1', 'localhost', 'LOCALHOST'])
    t.ok(isLoopback(host), host);
  for (const host of [
    '0.0.0.0',
    '::',
    '',
    '128.0.0.1',
    '127.0.0.1.example',
    '127.example',
    'localhost.example',
  ]) {
    t.notOk(isLoopback(host), host);
  }
});

test('newRequestId makes 24 letters or digits', async (t) => {
  const ids = Array.from({ length: 100 }, newRequestId);
  t.ok(ids.every((id) => /^req_[A-Za-z0-9]{24}$/.test(id)));
  t.equal(new Set(ids).size, 100);
});

test('InFlight: empty resolves when the last request ends', async (t) => {
  const inFlight = new InFlight();
  await inFlight.empty();
  inFlight.enter();
  inFlight.enter();
  let empty = false;
  const waited = inFlight.empty().then(() => {
    empty = true;
  });
  inFlight.leave();
  await Promise.resolve();
  t.equal(empty, false);
  inFlight.leave();
  await waited;
  t.equal(empty, true);
});
