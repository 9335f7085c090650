/**
 * A `fetch` without a time limit of its own: only its signal ends it. Node's `fetch` ends after 300 seconds without the
 * head of a response, or without a part of its body. The global `FormData` cannot be its body.
 */
export async function patientFetch(): Promise<typeof fetch> {
  // Only some commands need it.
  const { Agent, fetch: send } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const call = (url: string | URL, init: object) => send(url, { ...init, dispatcher });
  return call as unknown as typeof fetch;
}
