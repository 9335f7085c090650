import { SettingsError } from '../../settings/index.js';
import { nodeTransport } from './node-transport.js';
import type { Transport, TransportName } from './transport-types.js';
import { loadUws } from './uws-transport.js';

/** Has binaries for Node.js 22, 24 and 26. Its author publishes to GitHub, not to npm. */
const OFFICIAL_UWS = 'uWebSockets.js@uNetworking/uWebSockets.js#v20.67.0';
const NOT_FOUND = 'ERR_MODULE_NOT_FOUND';

/** The transport of a name. Rejects with SettingsError if `uws` does not load. */
export async function loadTransport(
  name: TransportName,
  load: () => Promise<Transport> = loadUws,
): Promise<Transport> {
  if (name === 'node') return nodeTransport;
  try {
    return await load();
  } catch (cause) {
    throw new SettingsError(`http.transport: ${whyNotUws(cause)}`, { cause });
  }
}

function whyNotUws(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === NOT_FOUND) return 'uws needs the package uWebSockets.js, which is not installed. Run: npm ci';
  return (
    `uws does not load: ${whyUnloaded(code)}. ` +
    `Use node, or install the official package: npm install --no-save ${OFFICIAL_UWS}`
  );
}

/** Why uWebSockets.js does not load. `code`: that of the error. */
export function whyUnloaded(code: string | undefined): string {
  if (code === NOT_FOUND) return 'uWebSockets.js is not installed';
  const { platform, arch, version } = process;
  return `the installed uWebSockets.js has no binary for Node.js ${version} on ${platform}-${arch}`;
}
