import { OperatorError } from '../base/index.js';

/** The most responses of a hub that describe one repository. The hub lists 1,000 entries in each. */
export const RESPONSES_MAX = 200;
/** The most bytes of all these responses. */
export const RESPONSE_BYTES_MAX = 64 << 20;

/**
 * A `fetch` for the hub's library, which reads every response whole and follows pages for as long as the server names a next
 * one. Rejects with OperatorError for one response or byte too many, and as `fetch` does. `what`: the reference.
 */
export function boundedFetch(fetch: typeof globalThis.fetch, what: string): typeof globalThis.fetch {
  let responses = 0;
  let bytes = 0;
  return async (input, init) => {
    responses += 1;
    if (responses > RESPONSES_MAX) throw tooMuch(what, `${RESPONSES_MAX} responses`);
    const response = await fetch(input, init);
    const parts: Uint8Array[] = [];
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += part.length;
      // Leaving the loop ends the connection.
      if (bytes > RESPONSE_BYTES_MAX) throw tooMuch(what, `${RESPONSE_BYTES_MAX >> 20} MiB`);
      parts.push(part);
    }
    const { status, headers } = response;
    return new Response(Buffer.concat(parts), { status, headers });
  };
}

const tooMuch = (what: string, bound: string) =>
  new OperatorError(
    `${what}: the description of the repository takes more than ${bound}. Check HF_ENDPOINT, or use a smaller repository.`,
  );
