/** The bytes of a response as they arrive; leaving the loop closes the connection. Rejects as the stream does. */
export async function* piecesOf(response: Response): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return;
  // A stream is not iterable in every browser.
  const reader = response.body.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    // Also rejects if the stream has failed, which the caller knows.
    if (!ended) reader.cancel().catch(() => {});
  }
}

/** The body as text. Throws RangeError if it has more than `max` bytes. */
export async function readText(response: Response, max: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of piecesOf(response)) {
    bytes += piece.byteLength;
    if (bytes > max) throw new RangeError(`The response has more than ${max} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
