import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests on every connection, each when the previous one is answered with any status, and at least one. Stops
 * after the given milliseconds. Resolves with the number of responses by status when all are answered.
 */
export async function sendFor(
  to: { readonly port: number; readonly token: string },
  connections: ReadonlyArray<readonly Buffer[]>,
  milliseconds: number,
): Promise<Map<number, number>> {
  const end = performance.now() + milliseconds;
  const answered = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const one = async (bodies: readonly Buffer[]) => {
    let at = 0;
    do {
      const status = await send(agent, to, bodies[at % bodies.length] as Buffer);
      answered.set(status, (answered.get(status) ?? 0) + 1);
      at += 1;
    } while (performance.now() < end);
  };
  await Promise.all([...connections.map(one), sleep(milliseconds)]);
  agent.destroy();
  return answered;
}

function send(agent: Agent, { port, token }: { port: number; token: string }, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sending = request({ agent, port, path: '/v1/decide', method: 'POST', headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode ?? 0))
        .on('error', reject);
    });
    sending.on('error', reject).end(body);
  });
}
