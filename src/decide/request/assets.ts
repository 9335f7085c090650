import { ApiError, IMAGE_FORMATS, LIMITS } from '../../api/index.js';
import type { Asset } from '../decide-types.js';
import { isAbsent } from './json-fields.js';
import { quoteName, toWellFormed } from './strings.js';

/**
 * Checks the shape of `assets` (contract 2.3) and reads them; image bytes are not checked. Unknown fields of an entry
 * are ignored. A `type` of `null` is not `image`; a `data_base64` or `part` of `null` counts as absent.
 *
 * @param value as `JSON.parse` returns it: the last entry of a repeated reference counts
 * @throws ApiError `invalid_assets`; `too_many_images` over `LIMITS.assets`; `invalid_request` if `data_base64` or
 *   `part` is not a string
 */
export function readAssets(value: unknown): Asset[] {
  if (!isObject(value)) throw invalid('`assets` must be an object of images by reference');
  const entries = Object.entries(value);
  let bytes = 0;
  for (const [reference] of entries) bytes += checkReference(reference);
  if (bytes > LIMITS.referencesBytes) {
    throw invalid(`the references of \`assets\` together have over ${LIMITS.referencesBytes} bytes`);
  }
  const assets = entries.map(([reference, entry]) => readAsset(reference, entry));
  if (assets.length <= LIMITS.assets) return assets;
  throw new ApiError(
    'too_many_images',
    `\`assets\` holds ${assets.length} images; the limit is ${LIMITS.assets}.`,
  );
}

/** @returns its length in UTF-8 bytes */
function checkReference(reference: string): number {
  if (reference === '') throw invalid('a reference of `assets` is empty');
  // A lone surrogate has no UTF-8 form, and could match half of a character.
  if (toWellFormed(reference) !== reference)
    throw invalid(`the reference ${quoteName(reference)} is not valid Unicode`);
  const bytes = Buffer.byteLength(reference);
  if (bytes <= LIMITS.referenceBytes) return bytes;
  throw invalid(
    `the reference ${quoteName(reference)} has ${bytes} bytes; the limit is ${LIMITS.referenceBytes}`,
  );
}

function readAsset(reference: string, entry: unknown): Asset {
  const subject = `the asset ${quoteName(reference)}`;
  if (!isObject(entry)) throw invalid(`${subject} must be an object`);
  if (entry.type !== undefined && entry.type !== 'image')
    throw invalid(`${subject}: \`type\` can only be \`image\``);
  const base64 = readText(subject, 'data_base64', entry.data_base64);
  const part = readText(subject, 'part', entry.part);
  const format = formatOf(entry.format);
  if (base64 !== null && part === null) return { reference, format, source: { of: 'base64', text: base64 } };
  if (part !== null && base64 === null) return { reference, format, source: { of: 'part', name: part } };
  throw invalid(`${subject} must have either \`data_base64\` or \`part\``);
}

function readText(subject: string, name: string, value: unknown): string | null {
  if (isAbsent(value)) return null;
  if (typeof value === 'string') return value;
  throw new ApiError('invalid_request', `In ${subject} \`${name}\` must be a string.`);
}

function formatOf(value: unknown): Asset['format'] {
  return typeof value === 'string' && Object.hasOwn(IMAGE_FORMATS, value)
    ? IMAGE_FORMATS[value as keyof typeof IMAGE_FORMATS]
    : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `what`: the message in lower case, without the full stop. */
function invalid(what: string): ApiError {
  return new ApiError('invalid_assets', `${what.charAt(0).toUpperCase()}${what.slice(1)}.`);
}
