import { inflateRawSync } from 'node:zlib';

/** The beginning of every member: the magic number, and the only method (RFC 1952, 2.3.1). */
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const FIXED_HEADER_BYTES = 10;
/** Checksum and length behind the compressed data. */
const TRAILER_BYTES = 8;
const [CHECKSUM, EXTRA, NAME, COMMENT] = [0x02, 0x04, 0x08, 0x10];
/** Members that are read to find the end of a refused body. A body with more keeps the reason that zlib gives. */
const MEMBERS_MAX = 16;

/**
 * Whether complete members are followed by bytes that do not begin another one, such as a line feed. For the message of a
 * body that zlib refuses: inflates up to `limitBytes` of each member once more.
 */
export function endsBehindMembers(body: Buffer, limitBytes: number): boolean {
  let at = 0;
  for (let members = 0; members < MEMBERS_MAX && beginsMember(body, at); members += 1) {
    const end = memberEnd(body, at, limitBytes);
    if (end === null) return false;
    at = end;
  }
  return at > 0 && at < body.length && !beginsMember(body, at);
}

/** True also if the body ends within the magic number. */
function beginsMember(body: Buffer, at: number): boolean {
  const start = body.subarray(at, at + MAGIC.length);
  return start.length > 0 && start.equals(MAGIC.subarray(0, start.length));
}

/** Null if the member is damaged or cut. */
function memberEnd(body: Buffer, at: number, limitBytes: number): number | null {
  const start = headerEnd(body, at);
  if (start > body.length) return null;
  try {
    // With `info`, the result has more than its declared type.
    const { engine } = inflateRawSync(body.subarray(start), {
      info: true,
      maxOutputLength: limitBytes,
    }) as unknown as { readonly engine: { readonly bytesWritten: number } };
    const end = start + engine.bytesWritten + TRAILER_BYTES;
    return end <= body.length ? end : null;
  } catch {
    return null;
  }
}

/** Where the compressed data begin; beyond the body if the header is cut. */
function headerEnd(body: Buffer, at: number): number {
  const flags = body[at + 3] ?? 0;
  let end = at + FIXED_HEADER_BYTES;
  if ((flags & EXTRA) !== 0) end += 2 + (end + 2 <= body.length ? body.readUInt16LE(end) : 0);
  for (const text of [NAME, COMMENT]) {
    if ((flags & text) === 0) continue;
    const zero = body.indexOf(0, end);
    end = zero < 0 ? body.length + 1 : zero + 1;
  }
  return (flags & CHECKSUM) === 0 ? end : end + 2;
}
