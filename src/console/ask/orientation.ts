/** Bytes of a file in which EXIF data are looked for: they stand before the pixels. */
const HEAD_BYTES = 1024 * 1024;

/** The orientation in which a PNG or JPEG is shown, from 1 to 8, by its EXIF data; 1: as it is stored. */
export async function orientationOf(file: Blob, format: 'png' | 'jpeg'): Promise<number> {
  const view = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
  try {
    const at = format === 'png' ? exifOfPng(view) : exifOfJpeg(view);
    return at === null ? 1 : orientationAt(view, at);
  } catch (error) {
    // The data end before what they announce.
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

const START_OF_SCAN = 0xffda;
const APP1 = 0xffe1;
/** A byte that may stand any number of times before a marker, and the beginning of the marker. */
const FILLED = 0xffff;
/** `Exif` */
const EXIF = 0x45786966;

/** Where the EXIF data of a JPEG begin; null: it has none. Throws RangeError. */
function exifOfJpeg(view: DataView): number | null {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint16(at) === FILLED) at += 1;
    const marker = view.getUint16(at);
    if (marker === APP1 && view.getUint32(at + 4) === EXIF) return at + 10;
    if (marker === START_OF_SCAN || marker < 0xff00) return null;
  }
}

/** `eXIf` and `IDAT` */
const [EXIF_CHUNK, PIXELS_CHUNK] = [0x65584966, 0x49444154];

/** Where the EXIF data of a PNG begin; null: it has none. Throws RangeError. */
function exifOfPng(view: DataView): number | null {
  for (let at = 8; ; at += 12 + view.getUint32(at)) {
    const type = view.getUint32(at + 4);
    if (type === EXIF_CHUNK) return at + 8;
    if (type === PIXELS_CHUNK) return null;
  }
}

/** `II`: the lower byte comes first. */
const LITTLE_ENDIAN = 0x4949;
const ORIENTATION = 0x0112;

/** The orientation in EXIF data. Throws RangeError. */
function orientationAt(view: DataView, start: number): number {
  const little = view.getUint16(start) === LITTLE_ENDIAN;
  const directory = start + view.getUint32(start + 4, little);
  const entries = view.getUint16(directory, little);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + 12 * entry;
    if (view.getUint16(at, little) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
