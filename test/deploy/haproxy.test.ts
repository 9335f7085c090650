// deploy/haproxy.cfg in front of several nodes. test/deploy/proxies.test.ts has what every proxy must do with one server.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { freePort } from '../support/free-port.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { serve } from '../support/http/serving.js';
import { ask, connectHttp2 } from '../support/http2.js';
import { type Haproxy, NEEDS_HAPROXY, startHaproxy } from '../support/proxy.js';
import { ROOT } from '../support/sources.js';
import { until } from '../support/until.js';

/** A server that answers with its name, whose requests can be held and which can be ended as by a kill. */
class Node {
  readonly held: ServerResponse[] = [];
  /** Of each request but those of the health check: its method, path and fields. */
  readonly asked: IncomingMessage[] = [];
  connections = 0;
  holds = false;
  status = 200;
  private readonly server: Server;

  private constructor(readonly name: string) {
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(t: Test, name: string): Promise<Node> {
    const node = new Node(name);
    // Not one that an outgoing connection may get before the node listens again.
    await node.listen(await freePort());
    t.teardown(() => node.kill());
    return node;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Refuses connections from now on, and ends those that are open. */
  kill(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  release(): void {
    this.holds = false;
    for (const response of this.held.splice(0)) response.end(this.name);
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/health') {
      response.end();
      return;
    }
    this.asked.push(request);
    request.resume();
    response.statusCode = this.status;
    if (this.holds) this.held.push(response);
    else response.end(this.name);
  }
}

async function nodesBehind(
  t: Test,
): Promise<{ proxy: Haproxy; session: ClientHttp2Session; nodes: [Node, Node] }> {
  const nodes: [Node, Node] = [await Node.start(t, 'node1'), await Node.start(t, 'node2')];
  const proxy = await startHaproxy(
    t,
    nodes.map(({ port }) => port),
  );
  return { proxy, session: await connectHttp2(t, proxy), nodes };
}

const post = (session: ClientHttp2Session) => ask(session, '/v1/decide', {}, '{}');

/**
 * Sends requests of which each has reached a node that holds it before the next one is sent. Threads of the proxy that choose
 * at the same time may choose the same node.
 */
async function heldOneByOne(session: ClientHttp2Session, nodes: readonly Node[], count: number) {
  const asked: ReturnType<typeof post>[] = [];
  while (asked.length < count) {
    asked.push(post(session));
    await until(() => nodes.reduce((held, node) => held + node.held.length, 0) === asked.length);
  }
  return asked;
}

/** What the proxy says of a node, such as `UP`, `DOWN` or `DRAIN`. */
async function stateOf(proxy: Haproxy, node: string): Promise<string> {
  const line = (await proxy.admin('show stat')).split('\n').find((each) => each.startsWith(`nodes,${node},`));
  return line?.split(',')[17] ?? '';
}

test('concurrent requests are spread evenly, with the address of the client', NEEDS_HAPROXY, async (t) => {
  const { session, nodes } = await nodesBehind(t);
  for (const node of nodes) node.holds = true;
  const asked = await heldOneByOne(session, nodes, 10);
  t.strictSame(
    nodes.map(({ held }) => held.length),
    [5, 5],
  );
  for (const node of nodes) node.release();
  for (const { status } of await Promise.all(asked)) t.equal(status, 200);
  for (const { headers } of nodes[0].asked) t.equal(headers['x-forwarded-for'], '127.0.0.1');
});

test('no other user can speak to the second step, which believes addresses', NEEDS_HAPROXY, async (t) => {
  const { proxy } = await nodesBehind(t);
  const { mode, uid } = statSync(proxy.secondStep);
  t.equal(mode & 0o777, 0o600);
  const user = spawnSync('id', ['-u', 'haproxy'], { encoding: 'utf8' }).stdout.trim();
  t.equal(uid, process.getuid?.() === 0 ? Number(user) : process.getuid?.());
  const config = readFileSync(join(ROOT, 'deploy/haproxy.cfg'), 'utf8');
  const proxied = config.split('\n').filter((line) => line.includes('accept-proxy'));
  t.match(proxied, [/ bind unix@\/\S+ mode 600 user haproxy accept-proxy$/]);
  t.equal(proxied.length, 1);
});

test('a node that is not ready gets no requests until it is ready again', NEEDS_HAPROXY, async (t) => {
  let isReady = true;
  const counts = [0, 0];
  const nodeOf = (at: number, checkReady: () => void) =>
    serve(t, 'node', undefined, {
      app: fakeApp(
        () =>
          fakeCaller({
            async usage() {
              counts[at] = (counts[at] ?? 0) + 1;
              return { node: at };
            },
          }),
        { checkReady },
      ),
    });
  const first = await nodeOf(0, () => {
    if (!isReady) throw new ApiError('overloaded', 'The database is not reachable.');
  });
  const second = await nodeOf(1, () => {});
  const proxy = await startHaproxy(t, [first.port, second.port]);
  const session = await connectHttp2(t, proxy);
  const askSome = () => Promise.all(Array.from({ length: 10 }, () => ask(session, '/v1/usage')));
  isReady = false;
  await until(async () => (await stateOf(proxy, 'node1')) === 'DOWN');
  counts.fill(0);
  for (const { status } of await askSome()) t.equal(status, 200);
  t.strictSame(counts, [0, 10]);
  isReady = true;
  await until(async () => (await stateOf(proxy, 'node1')) === 'UP');
  await until(async () => {
    await askSome();
    return counts[0] !== 0;
  });
});

test(
  'requests go to the other node at once when one is gone, and come back with it',
  NEEDS_HAPROXY,
  async (t) => {
    const { proxy, session, nodes } = await nodesBehind(t);
    const [first, second] = nodes;
    const { port } = first;
    first.kill();
    // The health check has not noticed yet: these attempts are refused, and made again.
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(session)));
    for (const { status, body } of answers) t.match([status, body], [200, 'node2']);
    await until(async () => (await stateOf(proxy, 'node1')) === 'DOWN');
    await first.listen(port);
    await until(async () => (await stateOf(proxy, 'node1')) === 'UP');
    second.kill();
    t.match(await post(session), { status: 200, body: 'node1' });
  },
);

for (const before of [0, 1]) {
  test(
    `a POST that a node may have begun is not sent again, a GET is (${before} requests before)`,
    NEEDS_HAPROXY,
    async (t) => {
      for (const method of ['POST', 'GET']) {
        const { session, nodes } = await nodesBehind(t);
        for (let count = 0; count < before; count += 1) t.equal((await post(session)).status, 200);
        const asked = nodes.map((node) => node.asked.length);
        for (const node of nodes) node.holds = true;
        // Rejects if the stream is reset.
        const answer = method === 'POST' ? post(session) : ask(session, '/v1/usage');
        await until(() => nodes.some(({ held }) => held.length === 1));
        const at = nodes[0].held.length === 1 ? 0 : 1;
        const [busy, idle] = at === 0 ? nodes : [nodes[1], nodes[0]];
        idle.holds = false;
        busy.kill();
        const { status, body } = await answer;
        if (method === 'GET') t.match([status, body], [200, idle.name]);
        else t.equal(status, 502, 'a client may send again what is reset');
        t.equal(idle.asked.length - (asked[1 - at] as number), method === 'GET' ? 1 : 0);
      }
    },
  );
}

test('without any node, the answer is an error like those of decider', NEEDS_HAPROXY, async (t) => {
  const { session, nodes } = await nodesBehind(t);
  for (const node of nodes) node.kill();
  const { status, headers, body } = await post(session);
  t.equal(status, 503);
  t.match(headers, { 'content-type': 'application/json', 'retry-after': '1' });
  t.match(JSON.parse(body), { error: /available/, type: 'overloaded' });
});

test('a node that refuses a POST with 503 is believed', NEEDS_HAPROXY, async (t) => {
  const { session, nodes } = await nodesBehind(t);
  for (const node of nodes) node.status = 503;
  t.equal((await post(session)).status, 503);
  t.equal(nodes[0].asked.length + nodes[1].asked.length, 1);
});

test('a node that is drained finishes its requests and gets no new ones', NEEDS_HAPROXY, async (t) => {
  const { proxy, session, nodes } = await nodesBehind(t);
  const [first, second] = nodes;
  for (const node of nodes) node.holds = true;
  const asked = await heldOneByOne(session, nodes, 2);
  t.strictSame([first.held.length, second.held.length], [1, 1]);
  second.release();
  await proxy.admin('set server nodes/node1 state drain');
  t.match(await stateOf(proxy, 'node1'), /^DRAIN/);
  for (let count = 0; count < 10; count += 1) t.equal((await post(session)).body, 'node2');
  t.equal(first.asked.length, 1);
  first.release();
  const bodies = (await Promise.all(asked)).map(({ body }) => body);
  t.strictSame(bodies.sort(), ['node1', 'node2']);
  await proxy.admin('set server nodes/node1 state ready');
  await until(async () => (await post(session)).body === 'node1');
});
