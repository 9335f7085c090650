import sharp from 'sharp';
import { jpegParts } from '../../../src/images/jpeg-parts.js';

const COLOUR = { r: 200, g: 100, b: 50 };

/** A JPEG of one colour. */
export function jpeg(
  options: {
    width?: number;
    height?: number;
    progressive?: boolean;
    grey?: boolean;
    cmyk?: boolean;
    orientation?: number;
  } = {},
): Promise<Buffer> {
  const { width = 300, height = 290, progressive = false, grey, cmyk, orientation } = options;
  let image = sharp({ create: { width, height, channels: 3, background: COLOUR } });
  if (grey) image = image.toColourspace('b-w');
  if (cmyk) image = image.toColourspace('cmyk');
  if (orientation !== undefined) image = image.withMetadata({ orientation });
  return image.jpeg({ progressive }).toBuffer();
}

/** A JPEG of noise, whose scan is long. */
export function noisyJpeg(width = 300, height = 290): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width, height, channels: 3, background: COLOUR, noise } })
    .jpeg()
    .toBuffer();
}

/** One marker segment of a JPEG: where its FF stands, and what follows its length. */
export interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
}

/** The segments up to and with the first scan's header. */
export function segments(file: Buffer): Segment[] {
  const found: Segment[] = [];
  for (let start = 2; start + 4 <= file.length; ) {
    const marker = file[start + 1] as number;
    const end = start + 2 + file.readUInt16BE(start + 2);
    found.push({ marker, start, end });
    if (marker === 0xda) break;
    start = end;
  }
  return found;
}

/** The file with the sides that its frame header says changed. */
export function resized(file: Buffer, width: number, height: number): Buffer {
  const frame = segments(file).find(({ marker }) => marker >= 0xc0 && marker <= 0xc2) as Segment;
  const changed = Buffer.from(file);
  changed.writeUInt16BE(height, frame.start + 5);
  changed.writeUInt16BE(width, frame.start + 7);
  return changed;
}

/** The file with a segment put in behind its first two bytes. */
export function withSegment(file: Buffer, marker: number, content: Buffer): Buffer {
  const start = Buffer.from([0xff, marker, 0, 0]);
  start.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([file.subarray(0, 2), start, content, file.subarray(2)]);
}

/** A JPEG with its last scan repeated until it has so many. */
export function withScans(file: Buffer, count: number): Buffer {
  const { segments: found, scans } = jpegParts(file);
  const { start } = found.findLast(({ marker }) => marker === 0xda) as { start: number };
  const scan = file.subarray(start - 4, -2);
  return Buffer.concat([file.subarray(0, -2), ...Array(count - scans).fill(scan), file.subarray(-2)]);
}
