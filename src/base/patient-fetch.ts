/**
 * A `fetch` that waits for a response as long as its signal says. That of Node ends after 300 seconds without the head of
 * a response, or without a part of its body. It knows no `FormData`.
 */
export async function patientFetch(): Promise<typeof fetch> {
  // Only some commands need it.
  const { Agent, fetch: send } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const call = (url: string | URL, init: object) => send(url, { ...init, dispatcher });
  return call as unknown as typeof fetch;
}
