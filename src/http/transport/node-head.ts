import type { IncomingMessage, Server } from 'node:http';
import { requestBytes } from './request-memory.js';
import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS, type MalformedStatus } from './transport-types.js';

/**
 * Keeps few fields beyond `MAX_HEADER_FIELDS`, at least one, so that `arrivalOf` refuses the request: a head of 16 KiB may
 * have thousands, which take 250 KB. Node drops the others silently.
 */
export function limitFields(server: Server): void {
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
}

/** What a request is known to be when its head has arrived. */
interface Arrival {
  /** The fault of a request that node's parser accepts but uWebSockets.js does not; null: none. */
  readonly wrong: MalformedStatus | null;
  /** Whether it is the last request of its connection. */
  readonly isLast: boolean;
  /** See `requestBytes`. */
  readonly bytes: number;
}

/** Judges a request by its head. */
export function arrivalOf(req: IncomingMessage): Arrival {
  const head = headBytes(req);
  const wrong = misfit(req, head);
  const isLast = wrong !== null || isUpgrade(req);
  return { wrong, isLast, bytes: requestBytes(head, req.rawHeaders.length) };
}

/**
 * Whether node's parser drops the rest of the packet behind this request, and takes the next packet for the beginning of a
 * request. It does so for an `Upgrade` that `Connection` lists, although nothing here upgrades; the condition here is wider.
 */
const isUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade !== undefined;

function misfit({ httpVersion, rawHeaders }: IncomingMessage, head: number): MalformedStatus | null {
  if (httpVersion !== '1.1') return 505;
  return rawHeaders.length > MAX_HEADER_FIELDS * 2 || head > MAX_HEADER_BYTES ? 431 : null;
}

/** Bytes of the head in its shortest form: node's parser counts fewer. */
function headBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  const fields = rawHeaders.reduce((sum, text) => sum + text.length, 0) + rawHeaders.length * 2;
  return `${method} ${url} HTTP/1.1\r\n\r\n`.length + fields;
}
