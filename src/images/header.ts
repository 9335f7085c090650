import type { ImageFormat } from '../api/index.js';
import { readJpegSize } from './jpeg.js';
import { pngExtent, readPngSize } from './png.js';
import type { Size } from './size.js';

interface FormatReader {
  /** What every file of the format begins with. */
  readonly magic: Buffer;
  /** What the header says, or null where it cannot be read. */
  readSize(bytes: Buffer): Size | null;
  /** `still`: one whole image, as far as a look without decoding tells. */
  extentOf(bytes: Buffer): 'still' | 'animated' | 'cut';
}

/** The formats that are read (contract 2.3). Nothing is decoded here: a header is looked at where it stands. */
export const FORMATS: Readonly<Record<ImageFormat, FormatReader>> = {
  png: {
    magic: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    readSize: readPngSize,
    extentOf: pngExtent,
  },
  jpeg: { magic: Buffer.from([0xff, 0xd8, 0xff]), readSize: readJpegSize, extentOf: () => 'still' },
};
