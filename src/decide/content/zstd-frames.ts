import { ApiError, LIMITS } from '../../api/index.js';

/** The output size of a zstd body, as far as its headers tell. */
interface ZstdSize {
  /** The sum of the announced sizes; a frame that announces none counts 0. */
  readonly bytesMin: number;
  /** The same, but a frame that announces none counts the capacity of its blocks. */
  readonly bytesMax: number;
  /** All blocks are empty. */
  readonly empty: boolean;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const BLOCK_BYTES_MAX = 128 * 1024;
const CHECKSUM_BYTES = 4;

/**
 * Measures a zstd body by the headers of its frames and blocks (RFC 8878, 3.1). Consecutive frames are one body;
 * skippable frames have no content. Takes a few nanoseconds per block and no memory.
 *
 * @throws ApiError `bad_encoding` if there is no frame, a frame is truncated or followed by other data, or if it
 *   announces more than its blocks can hold, needs a dictionary, uses a reserved feature, or has a window over
 *   `LIMITS.zstdWindowBytes`; or if there are more than `LIMITS.zstdFrames`
 */
export function measureZstd(body: Buffer): ZstdSize {
  if (body.length === 0) throw bad('is empty');
  let [bytesMin, bytesMax, empty] = [0, 0, true];
  let frames = 0;
  for (let at = 0; at < body.length; ) {
    frames += 1;
    if (frames > LIMITS.zstdFrames) throw bad(`has more than the limit of ${LIMITS.zstdFrames} frames`);
    if (at > 0 && !mayBeginFrame(body, at)) throw bad('is followed by bytes that are not a frame');
    need(body, at, 4);
    const magic = body.readUInt32LE(at);
    if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
      need(body, at, 8);
      at += 8 + body.readUInt32LE(at + 4);
      need(body, at, 0);
      continue;
    }
    if (magic !== MAGIC) throw bad('contains bytes that are not a frame');
    const header = readHeader(body, at + 4);
    const { end, capacity } = walkBlocks(body, header);
    const { contentBytes } = header;
    if ((contentBytes ?? 0) > capacity) throw bad('announces more than it holds');
    bytesMin += contentBytes ?? 0;
    bytesMax += contentBytes ?? capacity;
    empty &&= capacity === 0;
    at = end;
  }
  return { bytesMin, bytesMax, empty };
}

/** Whether the bytes at `at` are a magic number, or the beginning of one at the end of the body. */
function mayBeginFrame(body: Buffer, at: number): boolean {
  const start = body.subarray(at, at + 4);
  const rest = start.subarray(1).toString('hex');
  const isSkippable = ((start[0] as number) & 0xf0) === 0x50 && '2a4d18'.startsWith(rest);
  return isSkippable || (start[0] === 0x28 && 'b52ffd'.startsWith(rest));
}

interface FrameHeader {
  /** The offset of the first block. */
  readonly end: number;
  /** Null if the frame does not announce it. */
  readonly contentBytes: number | null;
  readonly blockBytesMax: number;
  readonly checksum: boolean;
}

/** Reads the frame header (RFC 8878, 3.1.1.1) whose descriptor is at `at`. */
function readHeader(body: Buffer, at: number): FrameHeader {
  need(body, at, 1);
  const descriptor = body[at] as number;
  const singleSegment = (descriptor & 0x20) !== 0;
  const checksum = (descriptor & 0x04) !== 0;
  const windowBytes = singleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03] as number;
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  if ((descriptor & 0x08) !== 0) throw bad('uses a reserved bit');
  const end = at + 1 + windowBytes + dictionaryBytes + sizeBytes;
  need(body, at, end - at);
  const dictionary = body.subarray(at + 1 + windowBytes, end - sizeBytes);
  if (dictionary.some((byte) => byte !== 0)) throw bad('needs a dictionary');
  const contentBytes = readContentSize(body, end - sizeBytes, sizeBytes);
  // The window of a single segment is its content, which the output limit bounds.
  const window = singleSegment ? (contentBytes as number) : readWindow(body[at + 1] as number);
  return { end, contentBytes, blockBytesMax: Math.min(window, BLOCK_BYTES_MAX), checksum };
}

function readContentSize(body: Buffer, at: number, bytes: number): number | null {
  switch (bytes) {
    case 0:
      return null;
    case 1:
      return body.readUInt8(at);
    case 2:
      return body.readUInt16LE(at) + 256;
    case 4:
      return body.readUInt32LE(at);
    default:
      return Number(body.readBigUInt64LE(at));
  }
}

/** RFC 8878, 3.1.1.1.2. */
function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  const window = base + (base / 8) * (descriptor & 7);
  if (window <= LIMITS.zstdWindowBytes) return window;
  throw bad(`asks for a window of ${window} bytes; the limit is ${LIMITS.zstdWindowBytes}`);
}

const RUN = 1;
const COMPRESSED = 2;

/** Walks the blocks of a frame (RFC 8878, 3.1.1.2); returns where it ends and how many bytes its blocks can hold. */
function walkBlocks(
  body: Buffer,
  { end: start, blockBytesMax, checksum }: FrameHeader,
): { end: number; capacity: number } {
  let at = start;
  let capacity = 0;
  for (let last = false; !last; ) {
    need(body, at, 3);
    const header = body.readUIntLE(at, 3);
    const [type, size] = [(header >> 1) & 3, header >> 3];
    if (type > COMPRESSED || size > blockBytesMax) throw bad('contains an invalid block');
    last = (header & 1) === 1;
    at += 3 + (type === RUN ? 1 : size);
    capacity += type === COMPRESSED ? blockBytesMax : size;
  }
  const end = at + (checksum ? CHECKSUM_BYTES : 0);
  need(body, end, 0);
  return { end, capacity };
}

function need(body: Buffer, at: number, bytes: number): void {
  if (at + bytes > body.length) throw bad('is truncated');
}

function bad(what: string): ApiError {
  return new ApiError('bad_encoding', `The zstd body ${what}.`);
}
