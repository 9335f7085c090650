import type { HttpCall, HttpCalls } from './http-calls.js';
/**
 * The lines of a response of JSON Lines, each once and in order. If the connection is lost, the response is requested
 * again and the lines that were given are skipped: results do not change. Holds one line and one piece of the response.
 *
 * @param count how many lines there are, or null if that cannot be known. Asked at the end of a response: one with fewer
 *   lines is requested again. (Node takes a connection that was cut for the end of a response with `Connection: close`.)
 */
export declare function streamLines(calls: HttpCalls, call: HttpCall, count: () => Promise<number | null>): AsyncGenerator<string, void>;
