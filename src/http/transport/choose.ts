import { nodeTransport } from './node.js';
import { ListenError, type Transport, type TransportName } from './types.js';
import { loadUws } from './uws.js';

export type TransportChoice = 'auto' | TransportName;

/**
 * The transport for a setting: `auto` is node:http, because uWebSockets.js does not see every header field (see
 * `uws.ts`). Rejects where `uws` is asked for and does not load.
 */
export async function chooseTransport(
  choice: TransportChoice,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (choice !== 'uws') return nodeTransport;
  try {
    return await load();
  } catch (cause) {
    throw new ListenError(
      `the transport "uws" does not load on Node.js ${process.versions.node}: uWebSockets.js is not installed, ` +
        'or has no binary for it; "node" works everywhere',
      { cause },
    );
  }
}
