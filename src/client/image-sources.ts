import { requireFields } from './argument-checks.js';
import { DeciderError } from './client-error.js';
import type { BatchLine, ImageSource, Images } from './client-types.js';
import { encode } from './encode.js';
import { requireLabelOrders } from './label-order.js';
import { orAborted } from './until-aborted.js';

/** Images of a request that together have at most this many bytes are sent inline; larger ones as parts of a form. */
export const INLINE_IMAGE_BYTES_MAX = 64 * 1024;

/** An image as it is sent. */
interface ReadImage {
  readonly reference: string;
  readonly format: 'png' | 'jpeg';
  readonly file: Blob;
}

/** Reads the images of a request, and finds the format of each in its first bytes. */
export async function readImages(images: Images): Promise<ReadImage[]> {
  requireFields(images, 'images');
  const entries = Object.entries(images);
  return Promise.all(entries.map(async ([reference, source]) => readImage(reference, await source)));
}

async function readImage(reference: string, source: ImageSource): Promise<ReadImage> {
  const file = source instanceof Blob ? source : new Blob([source as Uint8Array<ArrayBuffer>]);
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const starts = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return { reference, format: 'png', file };
  if (starts(0xff, 0xd8, 0xff)) return { reference, format: 'jpeg', file };
  throw new DeciderError('unsupported_image_format', `Image "${reference}" is neither PNG nor JPEG.`);
}

/** Assets with the files in base64. */
export async function inlineAssets(images: readonly ReadImage[]): Promise<Record<string, object>> {
  const assets = images.map(async ({ reference, format, file }) => {
    const data_base64 = base64(new Uint8Array(await file.arrayBuffer()));
    return [reference, { format, data_base64 }] as const;
  });
  return Object.fromEntries(await Promise.all(assets));
}

/**
 * A line of JSON Lines, which has no file parts: its images are inline. Rejects with DeciderError for other files, with
 * TypeError for what cannot be sent, or with the reason of the signal.
 *
 * @param name of the line, for messages
 */
export async function encodedLine(
  line: object,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  requireFields(line, name);
  const { images, ...rest } = line as Partial<BatchLine>;
  requireLabelOrders(rest.questions, `${name}.questions`);
  if (images === undefined) return encode(rest, name);
  const assets = async () => inlineAssets(await readImages(images));
  return encode({ ...rest, assets: await orAborted(assets(), signal) }, name);
}

/** A form: the request first, then each file. */
export function formOf(request: object, images: readonly ReadImage[]): FormData {
  const parts = images.map(
    ({ reference, format }, at) => [reference, { format, part: `image-${at}` }] as const,
  );
  const form = new FormData();
  form.append('request', encode({ ...request, assets: Object.fromEntries(parts) }, ''));
  images.forEach(({ file }, at) => {
    form.append(`image-${at}`, file);
  });
  return form;
}

/** Bytes that become arguments of one call. A multiple of 3, so that the pieces join. */
const BASE64_PIECE_BYTES = 3 * 8_192;

function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += BASE64_PIECE_BYTES) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + BASE64_PIECE_BYTES))));
  }
  return pieces.join('');
}
