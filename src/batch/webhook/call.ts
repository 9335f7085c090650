import { LIMITS } from '../../api/index.js';
import { hostOf } from '../../base/index.js';
import { readWebhookAddress } from './address.js';
import { checkHost, guardedLookup, type WebhookGuard } from './guard.js';

/** What a receiver is told (contract 2.10). */
export interface FinishedBatch {
  readonly id: string;
  readonly status: 'done' | 'failed' | 'cancelled';
}

export type WebhookOutcome = 'delivered' | 'failed';

/**
 * One attempt to tell a receiver that a batch has finished (contract 6 rules 2, 3 and 5). The address is checked again,
 * and every address of its host at the moment of connecting. `delivered` means an answer of 2xx within the time-out,
 * which counts from the call to the end of the answer's header and includes DNS; the answer's body is not read. Follows
 * no redirect, uses no proxy, keeps no connection. Never throws: whatever goes wrong is `failed`.
 */
export async function callWebhook(
  address: string,
  { id, status }: FinishedBatch,
  guard: WebhookGuard,
): Promise<WebhookOutcome> {
  const ending = new AbortController();
  const cancel = guard.clock.after(LIMITS.webhookTimeoutMs, () => ending.abort());
  try {
    const url = readWebhookAddress(address);
    checkHost(hostOf(url), guard);
    const code = await post(url, JSON.stringify({ id, status }), guard, ending);
    return code >= 200 && code < 300 ? 'delivered' : 'failed';
  } catch {
    return 'failed';
  } finally {
    cancel();
  }
}

/** Posts a JSON text on a connection of its own and returns the status of the answer. Rejects when it is ended. */
async function post(url: URL, text: string, guard: WebhookGuard, ending: AbortController): Promise<number> {
  // Loaded with the first call, because it takes a tenth of a second.
  const { Agent } = await import('undici');
  const { signal } = ending;
  const agent = new Agent({
    // An address in place of a name passes by `lookup`: `checkHost` has seen it.
    connect: {
      lookup: guardedLookup(guard),
      // The request's signal ends the wait, this one the connection, even in the middle of its handshake.
      signal,
      timeout: 0,
      rejectUnauthorized: true,
      ...(guard.authorities === undefined ? {} : { ca: guard.authorities }),
    },
    // The least size that is refused.
    maxHeaderSize: LIMITS.webhookAnswerHeaderBytes + 1,
  });
  let interim = 0;
  try {
    const { statusCode } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'decider' },
      body: text,
      reset: true,
      signal,
      onInfo: () => {
        interim += 1;
        if (interim > LIMITS.webhookInterimAnswers) ending.abort();
      },
    });
    return statusCode;
  } finally {
    await agent.destroy();
  }
}
