/**
 * Calls one address repeatedly over many connections, each as fast as it is answered, and reads the responses. Arguments:
 * the address, a token, connections, calls of each. Prints `{"statuses","bytes"}` at the end.
 */
import { Agent, get } from 'node:http';

const [url, token, connections, calls] = process.argv.slice(2) as [string, string, string, string];
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const statuses: Record<string, number> = {};
let bytes = 0;

const call = () =>
  new Promise<void>((resolve) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      statuses[String(response.statusCode)] = (statuses[String(response.statusCode)] ?? 0) + 1;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('close', resolve);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      statuses[String(error.code)] = (statuses[String(error.code)] ?? 0) + 1;
      resolve();
    });
  });

const caller = async () => {
  for (let made = 0; made < Number(calls); made += 1) await call();
};
process.stdout.write('started\n');
await Promise.all(Array.from({ length: Number(connections) }, caller));
process.stdout.write(`${JSON.stringify({ statuses, bytes })}\n`);
process.exit(0);
