import {
  ApiError,
  type Content,
  type ContentEncoding,
  LIMITS,
  type MediaType,
  SENT_ENCODINGS,
} from '../api/index.js';
import { readBoundary } from './boundary.js';
import type { Framing } from './framing.js';
import { type HeaderList, valuesOf } from './headers.js';

/** What the head says of the body, and that it is no more than we take. */
export interface ContentHead extends Content {
  /** Bytes as sent. */
  readonly length: number;
}

/**
 * Checks what a request says of its body before a byte of it is read (contract 4.1): `length_required`,
 * `body_too_large`, `unsupported_encoding`, `unsupported_media_type`, in this order. A boundary that is missing or not
 * valid is an error of the body, and left to its reader.
 */
export function checkContent(framing: Framing, headers: HeaderList): ContentHead {
  const length = checkLength(framing);
  const encoding = checkEncoding(headers);
  return { length, encoding, media: checkMediaType(headers) };
}

/**
 * The same for a batch file: any media type will do but a multipart one (contract 7.1).
 */
export function checkFile(framing: Framing, headers: HeaderList): Omit<ContentHead, 'media'> {
  const length = checkLength(framing);
  const encoding = checkEncoding(headers);
  if (!valuesOf(headers, 'content-type').some(isMultipart)) return { length, encoding };
  throw new ApiError('unsupported_media_type', 'A batch is the JSON Lines file itself, not multipart.');
}

function checkLength({ length }: Framing): number {
  if (length === null) throw new ApiError('length_required', 'A Content-Length header is required.');
  if (length <= LIMITS.bodyBytes) return length;
  throw new ApiError('body_too_large', `The body is larger than the limit of ${LIMITS.bodyBytes} bytes.`);
}

/** Contract 4.1 names two values: the aliases of RFC 9110, such as `x-gzip`, and `identity` are refused too. */
function checkEncoding(headers: HeaderList): ContentEncoding {
  const values = valuesOf(headers, 'content-encoding');
  if (values.length === 0) return 'identity';
  const known = SENT_ENCODINGS.find((encoding) => encoding === values[0]?.toLowerCase());
  if (known !== undefined && values.length === 1) return known;
  throw new ApiError(
    'unsupported_encoding',
    'Content-Encoding can only be gzip or zstd, and one of them; leave it out for a body that is not compressed.',
  );
}

const FORM_TYPE = /^multipart\/form-data\s*(;.*)?$/i;

/**
 * Any type but a multipart one is read as JSON: the contract asks for no type, and `curl -d` sends that of a form.
 */
function checkMediaType(headers: HeaderList): MediaType {
  const types = valuesOf(headers, 'content-type');
  if (!types.some(isMultipart)) return { kind: 'json' };
  const [type = ''] = types;
  if (types.length === 1 && FORM_TYPE.test(type)) return { kind: 'multipart', boundary: readBoundary(type) };
  throw new ApiError(
    'unsupported_media_type',
    'A multipart Content-Type can only be multipart/form-data, given once.',
  );
}

const isMultipart = (type: string) => /^multipart\//i.test(type);
