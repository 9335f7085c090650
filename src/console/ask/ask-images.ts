import { LIMITS } from '../../api/index.js';
import { type ImageDraft, nextId } from './ask-draft.js';
import { orientationOf } from './orientation.js';

/** A file cannot be used as an image; the message says why. */
export class ImageProblem extends Error {
  override readonly name = 'ImageProblem';
}

const { imageSidePixelsMin: MIN, imageSidePixelsMax: MAX, imageBytes: BYTES_MAX } = LIMITS;
/** The quality of a JPEG that was made smaller. */
const QUALITY = 0.92;

/**
 * Reads a file that was dropped in. An image with a side over the limit is made smaller, as its proportions permit. One with
 * an EXIF orientation is redrawn as it is shown: the server ignores the orientation.
 * Throws ImageProblem.
 */
export async function readImage(file: File): Promise<ImageDraft> {
  const format = await formatOf(file);
  if (format === null) throw new ImageProblem(`${file.name} is not a PNG or JPEG file.`);
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new ImageProblem(`${file.name} cannot be decoded.`);
  });
  try {
    const scale = Math.min(1, MAX / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [Math.round(bitmap.width * scale), Math.round(bitmap.height * scale)];
    if (Math.min(width, height) < MIN) {
      const at = `${bitmap.width} × ${bitmap.height}`;
      throw new ImageProblem(`${file.name} has ${at} pixels; each side needs ${MIN} to ${MAX}.`);
    }
    const turned = (await orientationOf(file, format)) !== 1;
    const blob = scale === 1 && !turned ? file : await redrawn(bitmap, width, height, format);
    if (blob.size > BYTES_MAX)
      throw new ImageProblem(`${file.name} is larger than ${BYTES_MAX / 2 ** 20} MiB.`);
    const common = { id: nextId(), name: `[${file.name}]`, source: file.name };
    return { ...common, file: blob, format, width, height, scaled: scale < 1, turned };
  } finally {
    bitmap.close();
  }
}

const PNG = [0x89, 0x50, 0x4e, 0x47];
const JPEG = [0xff, 0xd8, 0xff];

async function formatOf(file: Blob): Promise<'png' | 'jpeg' | null> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (PNG.every((byte, at) => head[at] === byte)) return 'png';
  return JPEG.every((byte, at) => head[at] === byte) ? 'jpeg' : null;
}

async function redrawn(
  bitmap: ImageBitmap,
  width: number,
  height: number,
  format: 'png' | 'jpeg',
): Promise<Blob> {
  const { canvas, draw } = makeCanvas(width, height);
  draw.imageSmoothingQuality = 'high';
  draw.drawImage(bitmap, 0, 0, width, height);
  return blobOf(canvas, format);
}

function makeCanvas(width: number, height: number) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const draw = canvas.getContext('2d');
  if (draw === null) throw new ImageProblem('The browser cannot draw images.');
  return { canvas, draw };
}

function blobOf(canvas: HTMLCanvasElement, format: 'png' | 'jpeg'): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) =>
        blob === null ? reject(new ImageProblem('The browser cannot encode the image.')) : resolve(blob),
      `image/${format}`,
      QUALITY,
    );
  });
}

/** The picture of the example: a circle to the left of a square. */
export async function exampleImage(): Promise<ImageDraft> {
  const { canvas, draw } = makeCanvas(448, 320);
  draw.fillStyle = '#ffffff';
  draw.fillRect(0, 0, 448, 320);
  draw.fillStyle = '#c8102e';
  draw.beginPath();
  draw.arc(130, 160, 80, 0, 2 * Math.PI);
  draw.fill();
  draw.fillStyle = '#0b5cad';
  draw.fillRect(260, 85, 150, 150);
  return readImage(new File([await blobOf(canvas, 'png')], 'shapes.png'));
}
