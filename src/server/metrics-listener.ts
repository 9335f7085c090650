import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListenError } from '../http/index.js';
import type { Metrics } from '../telemetry/index.js';

/** The media type of the Prometheus text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsListener {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a separate listener, out of reach of callers. Port 0 selects a free one. Rejects with
 * ListenError if the address is not available.
 */
export async function listenForMetrics(
  { host, port }: { host: string; port: number },
  metrics: Metrics,
): Promise<MetricsListener> {
  const server = createServer(async (request, response) => {
    const found = request.url?.split('?', 1)[0] === '/metrics';
    const allowed = request.method === 'GET' || request.method === 'HEAD';
    if (!found) response.writeHead(404).end();
    else if (!allowed) response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    else await answer(response, metrics);
  });
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    const { message } = ListenError.at(host, port, (error as Error).message);
    throw new ListenError(`metrics.host, metrics.port: ${message}`);
  }
  // A failed accept must not end the process.
  server.on('error', () => {});
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}/metrics`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A gauge that cannot be read must not end the process. */
async function answer(response: ServerResponse, metrics: Metrics): Promise<void> {
  try {
    const text = await metrics.scrape();
    response.writeHead(200, { 'Content-Type': CONTENT_TYPE }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
