/** What stands in a request for the token of a key, and for the id of a batch of that key, until it is sent. */
export const TOKEN = `dk_${'t'.repeat(40)}`;
export const BATCH = `batch_${'b'.repeat(24)}`;

/** How a request says where its body ends. */
export type Framing = 'length' | 'chunked' | 'none';

/** A request that HTTP leaves no doubt about: there is exactly one answer to it. */
export interface Request {
  readonly method: string;
  readonly target: string;
  /** Besides `Host` and those of the framing. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly framing: Framing;
  /** Where its bytes are cut into packets, counted from the end of its first line. */
  readonly cuts: readonly number[];
}

/** A request, bytes that may be none, or a client that leaves before it has sent or received all. */
export type Case =
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'raw'; readonly bytes: Buffer; readonly cuts: readonly number[] }
  | { readonly kind: 'leaving'; readonly bytes: Buffer };

/** The bytes of a request. */
export function render({ method, target, headers, body, framing }: Request): Buffer {
  const own: [string, string][] = [['Host', 'localhost']];
  if (framing === 'length') own.push(['Content-Length', String(body.length)]);
  if (framing === 'chunked') own.push(['Transfer-Encoding', 'chunked']);
  const lines = [...own, ...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
  if (framing === 'none') return head;
  return Buffer.concat([head, framing === 'length' ? body : chunked(body)]);
}

function chunked(body: Buffer): Buffer {
  const last = Buffer.from('0\r\n\r\n');
  if (body.length === 0) return last;
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n'), last]);
}

/** The bytes of a case. */
export const bytesOf = (one: Case): Buffer => (one.kind === 'request' ? render(one.request) : one.bytes);

/** The bytes in the packets they are sent in. */
export function packets(bytes: Buffer, cuts: readonly number[], from: number): Buffer[] {
  const places = [...new Set(cuts.map((cut) => Math.min(bytes.length, from + cut)))].sort((a, b) => a - b);
  return [0, ...places].map((start, at) => bytes.subarray(start, places[at] ?? bytes.length));
}

/** Puts what is meant in the place of what stands for it. Both have the same length. */
export function fillIn(bytes: Buffer, place: string, value: string): void {
  for (let at = bytes.indexOf(place); at >= 0; at = bytes.indexOf(place, at + value.length)) {
    bytes.write(value, at, 'latin1');
  }
}
