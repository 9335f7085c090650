/** What a client knows of a request. `not sent`: no connection. `unknown`: the server may have processed it. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'not sent' }
  | { readonly kind: 'unknown' };

/** A request without an answer fails after this many milliseconds. */
const CALL_MS_MAX = 40_000;

/** Sends one request. */
export async function call(url: string, init: RequestInit = {}): Promise<Outcome> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(CALL_MS_MAX), ...init });
    return { kind: 'answered', status: response.status, text: await response.text() };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { kind: code === 'ECONNREFUSED' ? 'not sent' : 'unknown' };
  }
}

/** The status, or what is known instead. */
export const statusOf = (outcome: Outcome): number | 'not sent' | 'unknown' =>
  outcome.kind === 'answered' ? outcome.status : outcome.kind;

/** The headers of a caller. */
export const callerHeaders = (token: string, own: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  ...own,
});
