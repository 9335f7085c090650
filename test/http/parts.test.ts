import { test } from 'tap';
import { isLoopback, newRequestId } from '../../src/http/index.js';
import { chooseTransport } from '../../src/http/transport/choose-transport.js';
import { InFlight } from '../../src/http/transport/in-flight.js';
import type { Transport } from '../../src/http/transport/transport-types.js';

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

test('chooseTransport: auto is node, and uws is loaded only when it is asked for', async (t) => {
  const uws: Transport = { name: 'uws', listen: () => Promise.reject(new Error('not in this test')) };
  const loads = async () => uws;
  const fails = () => Promise.reject(new Error('no binary'));
  t.equal((await chooseTransport('auto', loads)).name, 'node');
  t.equal((await chooseTransport('uws', loads)).name, 'uws');
  t.equal((await chooseTransport('node', loads)).name, 'node');
  t.equal((await chooseTransport('auto', fails)).name, 'node');
});

test('chooseTransport: where uws does not load, the error gives the reason and the command', async (t) => {
  const rejection = (cause: Error) => chooseTransport('uws', () => Promise.reject(cause));
  await t.rejects(rejection(new Error('no binary')), {
    name: 'SettingsError',
    message: new RegExp(
      `no binary for Node\\.js ${process.version} on [^\\n]+: npm install --no-save uWebSockets\\.js@\\S+$`,
    ),
  });
  await t.rejects(rejection(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })), {
    name: 'SettingsError',
    message: /which is not installed\. Run: npm ci$/,
  });
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
