import { loadTransport } from './transport/load-transport.js';
import { nodeTransport } from './transport/node-transport.js';
import type { Transport, TransportName } from './transport/transport-types.js';
import { loadUws } from './transport/uws-transport.js';
import { type TrialResult, tryUws } from './trial/try-uws.js';

type TransportChoice = 'auto' | TransportName;

/** A transport. `reason`: a sentence that says why `auto` has chosen it; null if the setting names it. */
export interface ChosenTransport {
  readonly transport: Transport;
  readonly reason: string | null;
}

/**
 * The transport of a setting. `auto` is uWebSockets.js if it refuses all known attacks, otherwise node:http. Rejects with
 * SettingsError if `uws` is set and does not load, or with the reason of `stop`.
 *
 * @param tried sends the attacks
 * @param load loads uWebSockets.js
 */
export async function chooseTransport(
  choice: TransportChoice,
  stop: AbortSignal,
  tried: (stop: AbortSignal) => Promise<TrialResult> = tryUws,
  load: () => Promise<Transport> = loadUws,
): Promise<ChosenTransport> {
  if (choice !== 'auto') return { transport: await loadTransport(choice, load), reason: null };
  const { passed, finding } = await tried(stop);
  if (!passed) return onNode(finding);
  try {
    return { transport: await load(), reason: `http.transport auto: uws is used, because ${finding}` };
  } catch (error) {
    return onNode(`uWebSockets.js does not load: ${(error as Error).message}`);
  }
}

const onNode = (finding: string): ChosenTransport => ({
  transport: nodeTransport,
  reason: `http.transport auto: node is used, because ${finding}`,
});
