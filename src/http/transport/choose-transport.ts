import { SettingsError } from '../../settings/index.js';
import { nodeTransport } from './node-transport.js';
import type { Transport, TransportName } from './transport-types.js';
import { loadUws } from './uws-transport.js';

export type TransportChoice = 'auto' | TransportName;

/**
 * The transport for a setting: `auto` is node:http, because uWebSockets.js does not see every header field (see
 * `uws.ts`). Rejects if `uws` is chosen and does not load.
 */
export async function chooseTransport(
  choice: TransportChoice,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (choice !== 'uws') return nodeTransport;
  try {
    return await load();
  } catch (cause) {
    throw new SettingsError(`http.transport: ${whyNotUws(cause)}`, { cause });
  }
}

/** Has binaries for Node.js 22, 24 and 26. Its author publishes to GitHub, not to npm. */
const OFFICIAL_UWS = 'uWebSockets.js@uNetworking/uWebSockets.js#v20.67.0';

function whyNotUws(cause: unknown): string {
  if ((cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
    return 'uws needs the package uWebSockets.js, which is not installed. Run: npm ci';
  }
  const { platform, arch, version } = process;
  return (
    `uws does not load: the installed uWebSockets.js has no binary for Node.js ${version} on ${platform}-${arch}. ` +
    `Use node, or install the official package: npm install --no-save ${OFFICIAL_UWS}`
  );
}
