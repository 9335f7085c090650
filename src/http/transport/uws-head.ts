import { STATUS_CODES } from 'node:http';
import type { Reply } from './types.js';
import type { UwsResponse } from './uws-library.js';

/** Writes the status and the headers of a reply. */
export function writeUwsHead(res: UwsResponse, { status, headers }: Reply): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Status'}`);
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** Ends the head of a last response without a body: the value includes the empty line. See `uws-last.ts`. */
export function endLastHead(res: UwsResponse): void {
  res.writeHeader('Connection', 'close\r\n');
}

/** Ends the chunks of a last response: the name includes the last chunk, the value the line after the trailer. */
export function endLastChunks(res: UwsResponse): void {
  res.writeHeader('\r\n0\r\nX-Complete', 'true\r\n');
}
