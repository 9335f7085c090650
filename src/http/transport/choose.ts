import { nodeTransport } from './node.js';
import { ListenError, type Transport, type TransportName } from './types.js';
import { loadUws } from './uws.js';

export type TransportChoice = 'auto' | TransportName;

/**
 * The transport for a setting: `auto` is uWebSockets.js where it loads and node:http elsewhere. Rejects where `uws`
 * is asked for by name and does not load.
 */
export async function chooseTransport(
  choice: TransportChoice,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (choice === 'node') return nodeTransport;
  try {
    return await load();
  } catch (cause) {
    if (choice === 'auto') return nodeTransport;
    throw new ListenError(
      `the transport "uws" does not load on Node.js ${process.versions.node}: uWebSockets.js is not installed, ` +
        'or has no binary for it; "auto" or "node" work everywhere',
      { cause },
    );
  }
}
