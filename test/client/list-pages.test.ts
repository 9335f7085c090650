import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'tap';
import { Decider } from '../../src/client/index.js';
import { hastyClient, rawStub, refuses, response } from '../support/client/raw-stub.js';

test('the client requests a list in pages, each after the previous one', async (t) => {
  const pages = [
    { object: 'list', data: [{ id: 'a' }, { id: 'b' }], has_more: true },
    { object: 'list', data: [{ id: 'c' }], has_more: true },
    { object: 'list', data: [], has_more: false },
  ];
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    response.end(JSON.stringify(pages[asked.push(url as string) - 1]));
  });
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const found: string[] = [];
  const { batches } = new Decider({ url: `http://127.0.0.1:${port}`, token: 'dk_test' });
  for await (const { id } of batches.list()) found.push(id);
  t.strictSame(found, ['a', 'b', 'c']);
  t.strictSame(asked, [
    '/v1/batches?limit=100',
    '/v1/batches?limit=100&after=b',
    '/v1/batches?limit=100&after=c',
  ]);
});

test('a list that is none is refused', async (t) => {
  for (const data of [7, null, { length: 1 }]) {
    const { url } = await rawStub(t, response(JSON.stringify({ data })));
    await refuses(t, hastyClient(url).decider.batches.list().next(), { type: 'invalid_response' });
  }
});
