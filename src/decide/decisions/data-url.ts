import { refusedAt } from './place.js';

/** `data:` with a media type of images, perhaps parameters, and `;base64` (RFC 2397). */
const HEAD = /^data:image\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]*)*;base64$/i;
/** Longest head that is looked at, in code units. */
const HEAD_UNITS_MAX = 256;

/**
 * The base64 text of an image in a `data:` URL, not decoded. What the URL says about the format is not looked at: clients
 * often state another one than that of the bytes.
 *
 * @throws ApiError `remote_image` for an address; `invalid_image` for what is not a base64 `data:` URL of an image
 */
export function readDataUrl(url: string, place: string): string {
  if (/^\s*https?:/i.test(url)) {
    throw refusedAt(
      place,
      'is an address; this server opens no addresses that callers choose. Send the image itself as a `data:` URL, such as `data:image/png;base64,…`',
      'remote_image',
    );
  }
  const comma = url.slice(0, HEAD_UNITS_MAX).indexOf(',');
  if (comma < 0 || !HEAD.test(url.slice(0, comma))) {
    throw refusedAt(
      place,
      'must be a `data:` URL of an image in base64, such as `data:image/png;base64,…`',
      'invalid_image',
    );
  }
  return url.slice(comma + 1);
}
