import { LIMITS } from '../../api/index.js';
import { hostOf } from '../../base/index.js';
import { readWebhookAddress } from './address.js';
import { checkHost, guardedLookup, type WebhookGuard } from './guard.js';

/** The body of a webhook call (contract 2.10). */
export interface FinishedBatch {
  readonly id: string;
  readonly status: 'done' | 'failed' | 'cancelled';
}

export type WebhookOutcome = 'delivered' | 'failed';

/**
 * Makes one webhook call (contract 6 rules 2, 3 and 5). The URL is checked again, and the IP addresses of its host when
 * connecting. `delivered` means a 2xx response within the timeout, which covers everything from DNS to the end of the
 * response header; the body of the response is not read. Follows no redirects, uses no proxy, keeps no connection. Never
 * throws: every error is `failed`.
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

/** Posts JSON on a connection of its own and returns the status of the response. Rejects when `ending` aborts. */
async function post(url: URL, text: string, guard: WebhookGuard, ending: AbortController): Promise<number> {
  // Loaded with the first call, because loading takes 0.1 s.
  const { Agent } = await import('undici');
  const { signal } = ending;
  const agent = new Agent({
    // IP addresses in the URL bypass `lookup`; `checkHost` has checked them.
    connect: {
      lookup: guardedLookup(guard),
      // The signal of the request ends the wait; this one also ends a connection in the middle of its handshake.
      signal,
      timeout: 0,
      rejectUnauthorized: true,
      ...(guard.authorities === undefined ? {} : { ca: guard.authorities }),
    },
    // undici refuses headers of this size and more.
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
