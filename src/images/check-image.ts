import { ApiError, type ErrorType, type ImageFormat, LIMITS } from '../api/index.js';
import { FORMAT_READERS } from './header.js';
import type { Size } from './pixels.js';

/** An image as it was sent. */
export interface ImageFile {
  /** What error messages call it, at the beginning of a sentence. */
  readonly subject: string;
  /** The declared format; null: not a supported one. */
  readonly format: ImageFormat | null;
  /** Standard base64, or the bytes themselves. */
  readonly data: string | Uint8Array;
}

/** An image whose structure is valid. */
export interface CheckedFile {
  readonly subject: string;
  readonly bytes: Buffer;
  readonly size: Size;
  /** The time that decoding takes, as the number of pixels of an ordinary image. */
  readonly pixels: number;
  /** What the checksums say against decoding it; null: nothing. Decoders find that too. */
  wrongChecksum(): string | null;
}

/**
 * Every check of an image that needs no decoding (contract 7.2).
 *
 * @throws ApiError `invalid_image`, `image_too_large`, `unsupported_image_format` (also an animation) or
 *   `image_dimensions`, in this order
 */
export function checkImageFile({ subject, format, data }: ImageFile): CheckedFile {
  const bytes = readBytes(subject, data);
  if (bytes.length === 0) throw refused('invalid_image', `${subject} is empty`);
  if (format === null) {
    throw refused('unsupported_image_format', `${subject}: \`format\` must be \`png\`, \`jpg\` or \`jpeg\``);
  }
  const { magic, inspect, wrongChecksum } = FORMAT_READERS[format];
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    throw refused(
      'unsupported_image_format',
      `${subject} is not a ${format.toUpperCase()}, although its \`format\` says so`,
    );
  }
  const { size, fault, passes } = inspect(bytes);
  if (size === null) throw refused('invalid_image', `${subject} has a header that cannot be read`);
  checkSides(subject, size);
  if (fault === 'animated') {
    throw refused('unsupported_image_format', `${subject} is animated; only still images are read`);
  }
  if (fault !== null) throw refused('invalid_image', `${subject} ${fault.predicate}`);
  const pixels = Math.ceil(size.width * size.height * passes);
  return { subject, bytes, size, pixels, wrongChecksum: () => wrongChecksum(bytes) };
}

/** A view of the bytes sent, or the decoded base64. */
function readBytes(subject: string, data: string | Uint8Array): Buffer {
  if (typeof data !== 'string') {
    checkBytes(subject, data.byteLength);
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  }
  const bytes = base64Bytes(data);
  if (bytes === null) {
    throw refused(
      'invalid_image',
      `${subject}: \`data_base64\` must be standard base64 with padding, without a \`data:\` prefix or white space`,
    );
  }
  checkBytes(subject, bytes);
  return Buffer.from(data, 'base64');
}

function checkBytes(subject: string, bytes: number): void {
  if (bytes <= LIMITS.imageBytes) return;
  throw refused('image_too_large', `${subject} has ${bytes} bytes; the limit is ${LIMITS.imageBytes}`);
}

function checkSides(subject: string, { width, height }: Size): void {
  const { imageSidePixelsMin: min, imageSidePixelsMax: max } = LIMITS;
  if (Math.min(width, height) >= min && Math.max(width, height) <= max) return;
  throw refused(
    'image_dimensions',
    `${subject} has ${width} × ${height} pixels; each side must have ${min} to ${max}`,
  );
}

export function refused(type: ErrorType, what: string): ApiError {
  return new ApiError(type, `${what}.`);
}

const OTHER = /[^A-Za-z0-9+/]/;

/**
 * The decoded size of standard base64 (RFC 4648, 4: with padding, without white space or line breaks), or null if it is
 * invalid. The URL-safe alphabet and a `data:` prefix are invalid (contract 2.3).
 */
function base64Bytes(text: string): number | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  // A single regular expression with a quantifier before the padding would backtrack, on up to 22 MB.
  if (text.length % 4 !== 0 || OTHER.test(text.slice(0, text.length - padding))) return null;
  return (text.length / 4) * 3 - padding;
}
