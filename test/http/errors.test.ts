import { ApiError, ERRORS, type ErrorType } from '../../src/api/index.js';
import { systemClock, ThreadsEnding } from '../../src/base/index.js';
import { createBounds } from '../../src/http/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { request } from '../support/http/raw-client.js';
import { deferred, errorType, onBoth, serve } from '../support/http/serving.js';

onBoth('request_timeout: a body that stops arriving', async (t, transport) => {
  const clock = fakeClock();
  const { client } = await serve(t, transport, undefined, { clock });
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '{"st', { 'Content-Length': '100' }));
  await clock.armed();
  clock.advance(8_000);
  const response = await connection.response();
  t.equal(response.status, 408);
  t.equal(errorType(response), 'request_timeout');
  t.equal(response.headers.get('connection'), 'close');
  t.equal(await connection.untilClosed(), '');
  t.equal(clock.timers(), 0, 'no timer is left');
});

onBoth('overloaded: more concurrent bodies than there is memory for', async (t, transport) => {
  const [arrived, go] = [deferred(), deferred()];
  const decide = async () => {
    arrived.resolve();
    await go.promise;
    return '{}';
  };
  const { client, ask } = await serve(t, transport, decide, { bodyMemoryBytes: 10 });
  const first = await client();
  await first.send(request('POST', '/v1/decide', '"6byte"'));
  await arrived.promise;
  const refused = await ask(request('POST', '/v1/decide', '"6byte"'));
  t.equal(refused.status, 503);
  t.equal(errorType(refused), 'overloaded');
  t.equal(refused.headers.get('retry-after'), '1');
  go.resolve();
  t.equal((await first.response()).status, 200);
  t.equal((await ask(request('POST', '/v1/decide', '"6byte"'))).status, 200, 'the memory is given back');
});

onBoth('overloaded: two endpoints share the memory for bodies', async (t, transport) => {
  const [arrived, go] = [deferred(), deferred()];
  const decide = async () => {
    arrived.resolve();
    await go.promise;
    return '{}';
  };
  const bounds = createBounds(systemClock, 10);
  const one = await serve(t, transport, decide, { bounds });
  const other = await serve(t, transport, decide, { bounds });
  const first = await one.client();
  await first.send(request('POST', '/v1/decide', '"6byte"'));
  await arrived.promise;
  t.equal(errorType(await other.ask(request('POST', '/v1/decide', '"6byte"'))), 'overloaded');
  go.resolve();
  t.equal((await first.response()).status, 200);
  t.equal((await other.ask(request('POST', '/v1/decide', '"6byte"'))).status, 200);
});

onBoth('every type an app throws is answered as the table says', async (t, transport) => {
  const decide = async ({ body }: { body: Uint8Array }): Promise<string> => {
    throw new ApiError(JSON.parse(Buffer.from(body).toString()) as ErrorType, 'why', {
      retryAfterSeconds: 2.2,
    });
  };
  const { ask, unexpected, access, logged } = await serve(t, transport, decide);
  const types = Object.keys(ERRORS) as ErrorType[];
  for (const type of types) {
    const response = await ask(request('POST', '/v1/decide', JSON.stringify(type)));
    t.equal(response.status, ERRORS[type].status, type);
    t.strictSame(JSON.parse(response.body), { error: 'why', type });
    t.equal(response.headers.get('retry-after'), '3', 'whole seconds');
  }
  await logged(types.length);
  t.strictSame(unexpected, []);
  t.strictSame(
    access.map(({ status }) => status),
    types.map((type) => ERRORS[type].status),
  );
});

onBoth('every 503 carries Retry-After, of one second at least', async (t, transport) => {
  const seconds = [undefined, 0, -5, 0.1, 17];
  const { ask } = await serve(t, transport, async ({ body }) => {
    const given = seconds[Number(body.toString())];
    throw new ApiError('overloaded', 'why', given === undefined ? {} : { retryAfterSeconds: given });
  });
  for (const [at, expected] of ['1', '1', '1', '1', '17'].entries()) {
    const response = await ask(request('POST', '/v1/decide', String(at)));
    t.equal(response.headers.get('retry-after'), expected);
  }
});

onBoth('model_unavailable: a stopping server has ended the threads', async (t, transport) => {
  const { ask, unexpected } = await serve(t, transport, () => Promise.reject(new ThreadsEnding('Ending.')));
  const response = await ask(request('POST', '/v1/decide', '{}'));
  t.match([response.status, errorType(response)], [503, 'model_unavailable']);
  t.match(String(response.body), 'The server is stopping.');
  t.strictSame(unexpected, []);
});

onBoth('internal_error: an app that throws anything else', async (t, transport) => {
  const failures = [new Error('secret'), 'a string', undefined, { type: 'not_found' }];
  const { ask, unexpected } = await serve(t, transport, ({ body }) => {
    const failure = failures[Number(body.toString())];
    if (body.length > 1) return Promise.reject(failure);
    throw failure;
  });
  for (const body of ['0', '1', '2', '3', ' 0', ' 1']) {
    const response = await ask(request('POST', '/v1/decide', body));
    t.equal(response.status, 500);
    t.equal(errorType(response), 'internal_error');
    t.notMatch(response.body, /secret|string/);
  }
  t.strictSame(unexpected, [...failures, failures[0], failures[1]]);
  t.equal((await ask(request('GET', '/health'))).status, 200);
});
