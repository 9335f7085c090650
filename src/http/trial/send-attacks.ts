import { connect, type Socket } from 'node:net';
import { hiddenRequest, type KnownAttack } from './known-attacks.js';

/** The token of the request that shows that an executed request is noticed. */
const SEEN = 'seen';
const PROBE = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const HOST = '127.0.0.1';

/** A listener, and the requests that it has executed. */
interface Attacked {
  readonly port: number;
  /** The tokens of the requests that were executed. */
  readonly executed: ReadonlySet<string>;
}

/**
 * Sends every attack to a listener of this process, in one packet and in two, and returns the names of those whose hidden
 * request was executed, each once. Throws an Error if the listener does not answer ordinary requests: an attack without an
 * effect would then prove nothing.
 */
export async function sendAttacks(
  { port, executed }: Attacked,
  attacks: readonly KnownAttack[],
): Promise<string[]> {
  const detected = await open(port);
  await send(detected, [PROBE + hiddenRequest(SEEN)]);
  await answers(port);
  detected.destroy();
  if (!executed.has(SEEN)) throw new Error('it did not execute the second of two ordinary requests');
  const sent = attacks.flatMap((attack, at) => [
    { attack, token: `whole${at}`, inTwo: false },
    { attack, token: `cut${at}`, inTwo: true },
  ]);
  const connections = await Promise.all(sent.map(() => open(port)));
  await Promise.all(
    sent.map(({ attack, token, inTwo }, at) => {
      const bytes = attack.bytes(hiddenRequest(token));
      const half = inTwo ? Math.floor(bytes.length / 2) : bytes.length;
      return send(connections[at] as Socket, [bytes.slice(0, half), bytes.slice(half)]);
    }),
  );
  await answers(port);
  for (const connection of connections) connection.destroy();
  return [...new Set(sent.filter(({ token }) => executed.has(token)).map(({ attack }) => attack.name))];
}

/**
 * Throws an Error unless a request that ends its connection is answered completely. Resolves when the listener has closed
 * the connection.
 */
export async function checkLastAnswer(port: number): Promise<void> {
  const connection = await open(port);
  let answer = '';
  const closed = new Promise<void>((resolve) => connection.once('close', () => resolve()));
  connection.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  await send(connection, ['GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']);
  await closed;
  if (!/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*\}$/is.test(answer))
    throw new Error('it did not answer the last request of a connection');
}

/** Resolves when the listener has had time for everything sent before: twice that of a request and its answer. */
async function answers(port: number): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    const connection = await open(port);
    const answered = new Promise<string>((resolve) => {
      connection.once('data', (bytes) => resolve(bytes.toString('latin1')));
      connection.once('close', () => resolve(''));
    });
    await send(connection, [PROBE]);
    const answer = await answered;
    connection.destroy();
    if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error('it did not answer an ordinary request');
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => {
      socket.off('error', reject);
      // The listener may close the connection of an attack at any time.
      socket.on('error', () => {});
      socket.resume();
      resolve(socket);
    });
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Sends the parts as packets of their own, with turns for the listener in between. */
async function send(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts.filter((each) => each !== '')) {
    await new Promise<void>((resolve) => socket.write(part, 'latin1', () => resolve()));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
