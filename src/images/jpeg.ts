import type { Size } from './size.js';

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Of C0 to CF, which begin a frame, the ones that do something else: DHT, JPG, DAC. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];

/**
 * What the frame header of a JPEG says (ITU T.81, B.2.2), or null where there is none before the first scan. Goes from
 * segment to segment; the sizes of a thumbnail stand inside one and are not looked at.
 */
export function readJpegSize(bytes: Buffer): Size | null {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== MARKER) return null;
    const marker = bytes[at + 1] as number;
    if (marker === MARKER || standsAlone(marker)) {
      // Any number of FF may stand before a marker.
      at += marker === MARKER ? 1 : 2;
      continue;
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE || marker === START_OF_IMAGE || marker === 0)
      return null;
    if (startsFrame(marker)) {
      if (at + 9 > bytes.length) return null;
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** TEM and RST0 to RST7 have no length. */
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
const startsFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker);
