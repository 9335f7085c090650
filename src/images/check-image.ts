import { type ImageFormat, LIMITS } from '../api/index.js';
import { FORMAT_READERS, formatOf } from './header.js';
import type { Size } from './pixels.js';
import { refused } from './refused.js';
import { checkSize, type SizeRule } from './size-rules.js';

/** An image as it was sent. */
export interface ImageFile {
  /** What error messages call it, at the beginning of a sentence. */
  readonly subject: string;
  /** The declared format; null: not a supported one. Not looked at under the rule `scaled`: the bytes say what they are. */
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
  /** Whether the decoder holds all pixels in memory at once. */
  readonly heldWhole: boolean;
  /** What the checksums say against decoding it; null: nothing. Decoders find that too. */
  wrongChecksum(): string | null;
}

/**
 * Every check of an image that needs no decoding (contract 7.2).
 *
 * @throws ApiError `invalid_image`, `image_too_large`, `unsupported_image_format` (also an animation) or
 *   `image_dimensions`, in this order
 */
export function checkImageFile(file: ImageFile, rule: SizeRule = 'exact'): CheckedFile {
  const { subject } = file;
  const bytes = readBytes(file, rule);
  if (bytes.length === 0) throw refused('invalid_image', `${subject} is empty`);
  const format = rule === 'exact' ? declaredFormat(file, bytes) : foundFormat(subject, bytes);
  const { wrongChecksum, inspect } = FORMAT_READERS[format];
  const { size, fault, passes, heldWhole } = inspect(bytes);
  if (size === null) throw refused('invalid_image', `${subject} has a header that cannot be read`);
  checkSize(rule, subject, size);
  if (fault === 'animated') {
    throw refused('unsupported_image_format', `${subject} is animated; only still images are read`);
  }
  if (fault !== null) throw refused('invalid_image', `${subject} ${fault.predicate}`);
  const pixels = Math.ceil(size.width * size.height * passes);
  return { subject, bytes, size, pixels, heldWhole, wrongChecksum: () => wrongChecksum(bytes) };
}

function declaredFormat({ subject, format }: ImageFile, bytes: Buffer): ImageFormat {
  if (format === null) {
    throw refused('unsupported_image_format', `${subject}: \`format\` must be \`png\`, \`jpg\` or \`jpeg\``);
  }
  if (formatOf(bytes) === format) return format;
  throw refused(
    'unsupported_image_format',
    `${subject} is not a ${format.toUpperCase()}, although its \`format\` says so`,
  );
}

function foundFormat(subject: string, bytes: Buffer): ImageFormat {
  const format = formatOf(bytes);
  if (format !== null) return format;
  throw refused(
    'unsupported_image_format',
    `${subject} is neither a PNG nor a JPEG; no other format is read`,
  );
}

/** A view of the bytes sent, or the decoded base64. */
function readBytes({ subject, data }: ImageFile, rule: SizeRule): Buffer {
  if (typeof data !== 'string') {
    checkBytes(subject, data.byteLength);
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  }
  const bytes = base64Bytes(data);
  if (bytes === null) throw refused('invalid_image', `${subject}${BASE64_FAULTS[rule]}`);
  checkBytes(subject, bytes);
  return Buffer.from(data, 'base64');
}

const BASE64_FAULTS: Record<SizeRule, string> = {
  exact: ': `data_base64` must be standard base64 with padding, without a `data:` prefix or white space',
  scaled: ' must have its data in standard base64 with padding, without white space',
};

function checkBytes(subject: string, bytes: number): void {
  if (bytes <= LIMITS.imageBytes) return;
  throw refused('image_too_large', `${subject} has ${bytes} bytes; the limit is ${LIMITS.imageBytes}`);
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
