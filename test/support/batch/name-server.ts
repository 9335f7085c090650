import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';

/** Record types of DNS (RFC 1035, RFC 3596). */
const TYPES = { A: 1, AAAA: 28 } as const;
const REFUSED = 5;

export type Records = Readonly<
  Record<string, Partial<Record<keyof typeof TYPES, readonly (readonly number[])[]>>>
>;

/** A name server on 127.0.0.1 that knows these addresses, as bytes, and refuses every other question. Its address. */
export async function startNameServer(t: Test, records: Records): Promise<string> {
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  socket.on('message', (query, { port, address }) => socket.send(reply(query, records), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

function reply(query: Buffer, records: Records): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] as number; size > 0; size = query[at] as number) {
    labels.push(query.toString('ascii', at + 1, at + 1 + size));
    at += 1 + size;
  }
  const type = query.readUInt16BE(at + 1);
  const name = (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((key) => TYPES[key] === type);
  const found = name && records[labels.join('.')]?.[name];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (found === undefined ? REFUSED : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found?.length ?? 0, 6);
  return Buffer.concat([
    header,
    query.subarray(12, at + 5),
    ...(found ?? []).map((data) => record(type, data)),
  ]);
}

/** A resource record about the name asked for, at offset 12 of the message. */
function record(type: number, data: readonly number[]): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, Buffer.from(data)]);
}
