import { deflateSync } from 'node:zlib';

const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** As PNG has it. `zlib.crc32` is not in every Node.js 20. */
function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (SUMS[(sum ^ byte) & 0xff] as number);
  return (sum ^ 0xffffffff) >>> 0;
}

/** A chunk of a PNG file, with its length and checksum. */
export function pngChunk(type: string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A black picture of 8-bit grey, with chunks of the test's own before its data. */
export function png(width: number, height: number, ...chunks: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const data = pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height)));
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', header), ...chunks, data, pngChunk('IEND')]);
}

/** One of exactly so many bytes. */
export function pngOfBytes(bytes: number): Buffer {
  const padding = bytes - png(280, 280, pngChunk('teXt')).length;
  return png(280, 280, pngChunk('teXt', Buffer.alloc(padding, 'x')));
}

/** A picture of 8-bit grey with nothing in it: every block is one zero bit for its mean and one for its end. */
export function jpeg(width: number, height: number): Buffer {
  const segment = (marker: number, data: readonly number[]) => [
    0xff,
    marker,
    (data.length + 2) >> 8,
    (data.length + 2) & 0xff,
    ...data,
  ];
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  // One code of one bit, for the value 0.
  const huffman = (table: number) => segment(0xc4, [table, 1, ...new Array(15).fill(0), 0]);
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const scan = Buffer.alloc(Math.ceil((blocks * 2) / 8));
  return Buffer.concat([
    Buffer.from([
      ...[0xff, 0xd8],
      ...segment(0xe0, [...Buffer.from('JFIF\0', 'latin1'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
      ...segment(0xdb, [0, ...new Array(64).fill(1)]),
      ...segment(0xc0, [8, ...size, 1, 1, 0x11, 0]),
      ...huffman(0x00),
      ...huffman(0x10),
      ...segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    ]),
    scan,
    Buffer.from([0xff, 0xd9]),
  ]);
}
