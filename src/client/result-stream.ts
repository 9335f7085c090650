import type { AttemptDeadline } from './attempt-deadline.js';
import { DeciderError } from './client-error.js';
import { pause } from './client-runtime.js';
import { lostConnection } from './failed-fetch.js';
import type { HttpCall, HttpCalls, OpenResponse } from './http-calls.js';
import { waitBeforeRetry } from './repeat-rules.js';
import { piecesOf } from './response-body.js';

/** Bytes of one result: of its question names, labels and legends, all of which are in a line of at most 32 MiB. */
const RESULT_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * The lines of a response of JSON Lines, each once and in order. If the connection is lost, the response is requested
 * again and the lines that were given are skipped: results do not change. Holds one line and one piece of the response.
 *
 * @param count how many lines there are, or null if that cannot be known. Asked at the end of a response: one with fewer
 *   lines is requested again. (Node takes a connection that was cut for the end of a response with `Connection: close`.)
 */
export async function* streamLines(
  calls: HttpCalls,
  call: HttpCall,
  count: () => Promise<number | null>,
): AsyncGenerator<string, void> {
  let given = 0;
  let last = '';
  for (let failures = 0; ; ) {
    const before = given;
    try {
      const opened = await calls.open(call);
      let at = 0;
      for await (const line of linesOf(opened)) {
        at += 1;
        if (at === given && line !== last) throw changed();
        if (at <= given) continue;
        [given, last] = [at, line];
        yield line;
      }
      if (at >= Math.max(given, (await count()) ?? 0)) return;
      throw lostConnection(null, `The response ended after ${at} lines.`);
    } catch (error) {
      failures = given > before ? 1 : failures + 1;
      const wait = waitBeforeRetry(error, call.repeatable, failures, calls.runtime.random());
      if (wait === null || failures > calls.retries) throw error;
      await pause(calls.runtime, wait, call.signal);
    }
  }
}

const changed = () =>
  new DeciderError('invalid_response', 'The results have changed since the connection was lost.');

/** The lines of an open response that are not blank. */
async function* linesOf({ response, deadline, failure }: OpenResponse): AsyncGenerator<string, void> {
  const pieces = timed(piecesOf(response), deadline);
  const begun: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      let from = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
        const line = textOf([...begun.splice(0), piece.subarray(from, end)]);
        [from, bytes] = [end + 1, 0];
        if (line.trim() !== '') yield line;
      }
      bytes += piece.byteLength - from;
      begun.push(piece.subarray(from));
      if (bytes > RESULT_BYTES_MAX) throw new RangeError(`A line has more than ${RESULT_BYTES_MAX} bytes.`);
    }
    const rest = textOf(begun);
    // Without its line feed, it may have been cut off.
    if (rest.trim() !== '') {
      JSON.parse(rest);
      yield rest;
    }
  } catch (error) {
    throw failure(error);
  } finally {
    deadline.end();
  }
}

/** The pieces, each of which has the whole time limit; the time between them is that of the reader. */
async function* timed(
  pieces: AsyncGenerator<Uint8Array, void>,
  deadline: AttemptDeadline,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      deadline.extend();
      const { done, value } = await pieces.next();
      deadline.hold();
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return();
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}
