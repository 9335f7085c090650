import type { StrayWarning } from './jpeg-stray-bytes.js';

export const INCOMPLETE = 'is truncated or damaged: pixels are missing';
export const OTHER_SIDES = 'has other sides than its header says';

/** What libjpeg, libpng and libvips report, and what it means to a caller. The first that matches counts. */
const MEANINGS: ReadonlyArray<readonly [message: RegExp, predicate: string]> = [
  [/premature end of JPEG image/i, 'is truncated'],
  [/premature end of data segment/i, INCOMPLETE],
  [
    /extraneous bytes before marker|instead of RST/i,
    'is damaged: pixels are missing, or bytes between them have no meaning',
  ],
  [/bad Huffman code|bad arithmetic code/i, 'is damaged: its pixels cannot be decoded'],
  [
    /(Huffman|Quantization|arithmetic) table .*not defined|missing Huffman/i,
    'lacks a table that its pixels need',
  ],
  [/progress(ion|ive)|Inconsistent/i, 'is damaged: its scans do not belong together'],
  [
    /Unsupported JPEG|SOF type|colou?r space|component count|sampling/i,
    'is a kind of JPEG that is not supported',
  ],
  [/CRC error/i, 'is damaged: a checksum is wrong'],
  [/libpng read error|not enough image data/i, INCOMPLETE],
  [new RegExp(OTHER_SIDES), OTHER_SIDES],
];

const OTHERWISE = 'is damaged: its header cannot be read';

/** Why an image cannot be decoded: the predicate of a sentence. Messages of the libraries are not repeated. */
export function predicateOf(message: string): string {
  return MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? OTHERWISE;
}

/** The decoder's warning, if its first one is of bytes without a meaning between pixels and a marker; null otherwise. */
export function strayWarning(message: string): StrayWarning | null {
  const [, bytes, marker] =
    /^(?:VipsJpeg: )?Corrupt JPEG data: (\d+) extraneous bytes before marker 0x([0-9a-f]{2})/.exec(message) ??
    [];
  return bytes === undefined || marker === undefined
    ? null
    : { bytes: Number(bytes), marker: Number.parseInt(marker, 16) };
}
