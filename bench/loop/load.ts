import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends on every connection its requests in turn, each when the one before it is answered, whatever the answer;
 * at least one. Resolves after so many milliseconds, when all are answered, with how many were.
 */
export async function sendFor(
  port: number,
  connections: ReadonlyArray<readonly Buffer[]>,
  milliseconds: number,
): Promise<number> {
  const end = performance.now() + milliseconds;
  let answered = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const one = async (bodies: readonly Buffer[]) => {
    let at = 0;
    do {
      await send(agent, port, bodies[at % bodies.length] as Buffer);
      answered += 1;
      at += 1;
    } while (performance.now() < end);
  };
  await Promise.all([...connections.map(one), sleep(milliseconds)]);
  agent.destroy();
  return answered;
}

function send(agent: Agent, port: number, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sending = request({ agent, port, path: '/v1/decide', method: 'POST', headers }, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    });
    sending.on('error', reject).end(body);
  });
}
