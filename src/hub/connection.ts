import { EnvHttpProxyAgent, fetch } from 'undici';
import { OperatorError } from '../base/index.js';
import type { HubSettings } from './hub-environment.js';

const CONNECT_MS_MAX = 10_000;

/** An error status of the hub, before it is explained to the operator or retried. */
export class HubStatus extends Error {
  constructor(
    readonly status: number,
    /** The hub's `X-Error-Code`, such as `GatedRepo`; '' if it sends none. */
    readonly code: string,
    /** From `Retry-After`; null if the hub sends none. */
    readonly retryAfterMs: number | null,
    /** The host that sent it, such as that of the storage; null for the hub itself. */
    readonly otherHost: string | null,
  ) {
    super(`status ${status}`);
  }

  /** Whether the same request may succeed later. */
  get temporary(): boolean {
    // A signed address of the storage has expired; the next attempt gets another one.
    if (this.otherHost !== null && this.status === 403) return true;
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/**
 * Requests to the hub and to the hosts that it redirects to. The token is added here, to requests to the hub's own
 * origin only; the HTTP library drops it when a redirect leads to another origin. Proxies are those of HTTP_PROXY,
 * HTTPS_PROXY and NO_PROXY.
 */
export class HubConnection {
  readonly endpoint: string;
  private readonly token: string | null;
  private readonly agent: EnvHttpProxyAgent;

  constructor(
    settings: HubSettings,
    private readonly signal: AbortSignal,
  ) {
    this.endpoint = settings.endpoint;
    this.token = settings.token;
    this.agent = new EnvHttpProxyAgent({
      connect: { timeout: CONNECT_MS_MAX },
      headersTimeout: settings.timeoutMs,
      bodyTimeout: settings.timeoutMs,
    });
  }

  /** Whether requests to the hub carry a token. */
  get hasToken(): boolean {
    return this.token !== null;
  }

  /** Like `fetch`, for the hub's library too. Rejects with HubStatus for an error status, or with a network error. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = new Headers(init?.headers);
    // Ranges count bytes of the file, not of a compressed copy.
    headers.set('accept-encoding', 'identity');
    if (this.token !== null && this.otherHost(url) === null) {
      headers.set('authorization', `Bearer ${this.token}`);
    }
    const response = await fetch(url, {
      headers: Object.fromEntries(headers),
      dispatcher: this.agent,
      signal: this.signal,
    });
    if (response.ok) return response as unknown as Response;
    await response.body?.cancel();
    throw new HubStatus(
      response.status,
      response.headers.get('x-error-code') ?? '',
      readRetryAfter(response.headers.get('retry-after')),
      this.otherHost(response.url),
    );
  };

  /** The host of an address that is not at the hub's own origin, else null. The rest of it may be secret. */
  otherHost(address: string): string | null {
    const { origin, host } = new URL(address);
    return origin === new URL(this.endpoint).origin ? null : host;
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** Longer waits that a server asks for are cut to this. */
const RETRY_AFTER_MS_MAX = 5 * 60_000;

const readRetryAfter = (value: string | null): number | null =>
  value !== null && /^\d{1,9}$/.test(value) ? Math.min(Number(value) * 1_000, RETRY_AFTER_MS_MAX) : null;

/** An error status and the host that sent it, in words. */
export const statusReason = ({ status, otherHost }: HubStatus): string =>
  `${otherHost ?? 'the hub'} responds with status ${status}`;

/** What the operator can do about a permanent error status. `what`: the reference that was asked for. */
export function explainStatus(
  error: HubStatus,
  what: string,
  { endpoint, hasToken }: Pick<HubConnection, 'endpoint' | 'hasToken'>,
): OperatorError {
  const { status, code, otherHost } = error;
  const page = `${endpoint}/${what.replace(/^hf:/, '').split(/[@:]/)[0]?.split('/').slice(0, 2).join('/')}`;
  const text = (reason: string) => new OperatorError(`${what}: ${reason}`);
  if (otherHost !== null) {
    return text(`${statusReason(error)}, to which the hub redirects. Check HF_ENDPOINT, or try again later.`);
  }
  if (code === 'GatedRepo') {
    return hasToken
      ? text(
          `access is restricted. Accept the conditions at ${page} as the owner of the token in HF_TOKEN, then try again.`,
        )
      : text(
          `access is restricted. Accept the conditions at ${page}, create a token at ${endpoint}/settings/tokens and set HF_TOKEN.`,
        );
  }
  if (code === 'RevisionNotFound')
    return text('the repository has no such revision. Correct what follows @.');
  if (code === 'EntryNotFound') return text('the hub no longer has this file. Run the command again.');
  if (status === 401 || status === 403) {
    return hasToken
      ? text(
          `the hub refuses the token (status ${status}), or the repository does not exist. Check the name, and that the token in HF_TOKEN may read it.`,
        )
      : text(
          `the hub refuses access (status ${status}): the repository is private or gated, or does not exist. Check the name; for a private one, create a token at ${endpoint}/settings/tokens and set HF_TOKEN.`,
        );
  }
  if (status === 404) {
    return text(
      `the hub has no such repository or revision${hasToken ? ' that the token in HF_TOKEN may read' : '; if it is private, set HF_TOKEN'}.`,
    );
  }
  return text(`${statusReason(error)}. Try again later.`);
}
