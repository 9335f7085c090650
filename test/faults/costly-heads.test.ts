// Anyone who can connect sends heads that take much memory; the server goes on.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Test, test } from 'tap';

import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from '../../src/http/transport/transport-types.js';
import { child } from '../support/child.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { memoryOf } from '../support/process-memory.js';
import { scaled } from '../support/scale.js';

/** Of the server. */
const HEAP_MIB = 128;
const GROWTH_MIB_MAX = 160;

/** A head without its end, with as many fields as there is room for. */
function head(count: number, valueBytes: number): string {
  const lines = ['GET /health HTTP/1.1', 'Host: localhost'];
  let left = MAX_HEADER_BYTES - 100;
  for (let at = 0; at < count; at += 1) {
    const line = `${at.toString(36).padStart(2, 'q')}:${'v'.repeat(valueBytes)}`;
    left -= line.length + 2;
    if (left < 0) break;
    lines.push(line);
  }
  return `${lines.join('\r\n')}\r\n`;
}

const LIMITED_SERVER = new URL('../support/http/limited-server.js', import.meta.url);

const TINY_FIELDS = head(3_000, 1);
const MOST_FIELDS = head(MAX_HEADER_FIELDS - 1, 160);

/** What each connection sends, and their number: without a bound, at full scale, each takes more than the heap. */
const ATTACKS: Readonly<Record<string, readonly [bytes: string, connections: number]>> = {
  'incomplete heads of thousands of fields': [TINY_FIELDS, 1_500],
  'incomplete heads of the most fields': [MOST_FIELDS, 1_500],
  'pipelined heads of thousands of fields': [behindDecision(`${TINY_FIELDS}\r\n`), 20],
  'pipelined heads of the most fields': [
    behindDecision(`${MOST_FIELDS}\r\n`),
    scaled({ short: 20, long: 150 }),
  ],
  'pipelined heads without fields': [
    behindDecision('GET / HTTP/1.1\r\n\r\n'.repeat(50)),
    scaled({ short: 10, long: 40 }),
  ],
};

function behindDecision(next: string): string {
  return request('POST', '/v1/decide', '{}') + next.repeat(100);
}

/** Connects, and resolves when the server has taken what is sent, has closed the connection, or reads no more. */
async function send(t: Test, port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => void socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(bytes);
  return socket;
}

for (const [name, [bytes, connections]] of Object.entries(ATTACKS)) {
  for (const transport of TRANSPORTS)
    test(`${connections} connections with ${name} (${transport})`, async (t) => {
      const server = child(
        t,
        LIMITED_SERVER,
        [transport],
        `export NODE_OPTIONS=--max-old-space-size=${HEAP_MIB};`,
      );
      const port = Number(await server.line());
      const memory = memoryOf(server.process.pid as number);
      const ask = async () => {
        const client = await RawClient.connect(port);
        await client.send(request('GET', '/health'));
        const { status } = await client.response();
        client.destroy();
        return status;
      };
      await ask();
      const before = memory.now();
      memory.forgetPeak();
      for (let count = 0; count < connections; count += 1) await send(t, port, bytes);
      // It is answered behind what has arrived before it.
      const statuses = await Promise.all(Array.from({ length: 10 }, ask));
      t.strictSame([...new Set(statuses)], [200]);
      const growth = (memory.peak() - before) / 2 ** 20;
      t.ok(growth < GROWTH_MIB_MAX, `the server took ${growth.toFixed(0)} MiB`);
      t.strictSame([server.process.exitCode, server.process.signalCode], [null, null]);
    });
}
