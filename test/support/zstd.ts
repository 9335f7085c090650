import { Buffer } from 'node:buffer';

/** A block of a zstd frame (RFC 8878, 3.1.1.2). */
export type ZstdBlock =
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'run'; readonly byte: number; readonly times: number }
  /** Of a kind and with a payload of the test's own. */
  | { readonly kind: 'other'; readonly type: number; readonly size: number; readonly payload: Uint8Array };

export interface ZstdFrameOptions {
  /** The content size that the header announces, in a field of so many bytes; none otherwise. */
  readonly announce?: { readonly bytes: number | bigint; readonly field: 1 | 2 | 4 | 8 };
  /** The window descriptor's byte; without it the content is one segment. */
  readonly window?: number;
  readonly dictionary?: number;
  readonly reserved?: boolean;
}

/** A window of 128 KiB. */
export const WINDOW_128K = 7 << 3;

/** Writes a zstd frame without compressing anything, so that tests need no compressor and can say what is wrong. */
export function zstdFrame(
  blocks: readonly ZstdBlock[],
  { announce, window, dictionary, reserved = false }: ZstdFrameOptions = { window: WINDOW_128K },
): Buffer {
  const single = window === undefined;
  const sizeFlag = announce === undefined ? 0 : [1, 2, 4, 8].indexOf(announce.field);
  const descriptor =
    (sizeFlag << 6) | (single ? 0x20 : 0) | (reserved ? 0x08 : 0) | (dictionary === undefined ? 0 : 3);
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor])];
  if (window !== undefined) parts.push(Buffer.from([window]));
  if (dictionary !== undefined) parts.push(littleEndian(BigInt(dictionary), 4));
  if (announce !== undefined) {
    const bytes = BigInt(announce.bytes) - (announce.field === 2 ? 256n : 0n);
    parts.push(littleEndian(bytes, announce.field));
  }
  for (const [at, block] of blocks.entries()) parts.push(writeBlock(block, at === blocks.length - 1));
  return Buffer.concat(parts);
}

/** A frame of raw blocks that holds `bytes` and announces their number. */
export function storedFrame(bytes: Uint8Array): Buffer {
  const blocks: ZstdBlock[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += 128 * 1024) {
    blocks.push({ kind: 'raw', bytes: bytes.subarray(at, at + 128 * 1024) });
  }
  return zstdFrame(blocks, { announce: { bytes: bytes.length, field: 8 } });
}

/** A frame that decoders pass over (RFC 8878, 3.1.2). */
export function skippableFrame(bytes: Uint8Array, announced = bytes.length): Buffer {
  return Buffer.concat([littleEndian(0x184d2a53n, 4), littleEndian(BigInt(announced), 4), bytes]);
}

/** What `zstd` 1.5 makes of `'hello world '` 100,000 times over: one frame with a checksum, no size. */
export const HELLO_FRAME = Buffer.from(
  'KLUv/QRYpAAAYGhlbGxvIHdvcmxkIAEA8f/PSxJMAAAIcgEA/P85EAJMAAAIbwEA/P85EAJMAAAIaAEA/P85EAJMAAAIcgEA/P85EAJMAAAIbwEA/P85EAJMAAAIaAEA/P85EAJMAAAIcgEA/P85EAJMAAAIbwEA/P85EAJFAAAIaAEAfM8OhJQZMcI=',
  'base64',
);
export const HELLO_TEXT = 'hello world '.repeat(100_000);

function writeBlock(block: ZstdBlock, last: boolean): Buffer {
  const header = (type: number, size: number) =>
    littleEndian(BigInt((size << 3) | (type << 1) | Number(last)), 3);
  switch (block.kind) {
    case 'raw':
      return Buffer.concat([header(0, block.bytes.length), block.bytes]);
    case 'run':
      return Buffer.concat([header(1, block.times), Buffer.from([block.byte])]);
    case 'other':
      return Buffer.concat([header(block.type, block.size), block.payload]);
  }
}

function littleEndian(value: bigint, bytes: number): Buffer {
  const all = Buffer.alloc(8);
  all.writeBigUInt64LE(BigInt.asUintN(64, value));
  return all.subarray(0, bytes);
}
