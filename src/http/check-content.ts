import {
  ApiError,
  type Content,
  type ContentEncoding,
  LIMITS,
  type MediaType,
  SENT_ENCODINGS,
} from '../api/index.js';
import type { FormatName } from '../decide/index.js';
import { readBoundary } from './boundary.js';
import { type Framing, valuesOf } from './head.js';
import type { HeaderList } from './transport/transport-types.js';

/** What the head says about the body; within the limits. */
interface ContentHead extends Content {
  /** Bytes as sent. */
  readonly length: number;
}

/**
 * Checks what a head says about the body before a byte of it is read (contract 4.1): `length_required`,
 * `body_too_large`, `unsupported_encoding`, `unsupported_media_type`, in this order. A missing or
 * invalid boundary is an error of the body, reported by its reader.
 */
export function checkContent(framing: Framing, headers: HeaderList, format: FormatName): ContentHead {
  const length = checkLength(framing);
  const encoding = checkEncoding(headers);
  const media = checkMediaType(headers);
  if (format !== 'decisions' || media.kind === 'json') return { length, encoding, media };
  throw new ApiError(
    'unsupported_media_type',
    'This interface has no multipart bodies: images are sent in the JSON, as `data:` URLs.',
  );
}

/**
 * The same for a body that is no decision: any media type except multipart is accepted (contract 7.1).
 *
 * @param bytesMax the most bytes as sent
 */
export function checkFile(
  framing: Framing,
  headers: HeaderList,
  bytesMax: number = LIMITS.bodyBytes,
): Omit<ContentHead, 'media'> {
  const length = checkLength(framing, bytesMax);
  const encoding = checkEncoding(headers);
  if (!valuesOf(headers, 'content-type').some(isMultipart)) return { length, encoding };
  throw new ApiError(
    'unsupported_media_type',
    'This body is sent as it is, JSON or JSON Lines, and not as multipart.',
  );
}

function checkLength({ length }: Framing, bytesMax: number = LIMITS.bodyBytes): number {
  if (length === null) throw new ApiError('length_required', 'A Content-Length header is required.');
  if (length <= bytesMax) return length;
  throw new ApiError('body_too_large', `The body is larger than the limit of ${bytesMax} bytes.`);
}

/** Contract 4.1 allows two values; aliases of RFC 9110 such as `x-gzip` are refused, and so is `identity`. */
function checkEncoding(headers: HeaderList): ContentEncoding {
  const values = valuesOf(headers, 'content-encoding');
  if (values.length === 0) return 'identity';
  const known = SENT_ENCODINGS.find((encoding) => encoding === values[0]?.toLowerCase());
  if (known !== undefined && values.length === 1) return known;
  throw new ApiError(
    'unsupported_encoding',
    'Content-Encoding must be gzip or zstd, given once; omit it for an uncompressed body.',
  );
}

const FORM_TYPE = /^multipart\/form-data\s*(;.*)?$/i;

/**
 * Any type that is not multipart is read as JSON: the contract requires no media type, and `curl -d` sends
 * `application/x-www-form-urlencoded`.
 */
function checkMediaType(headers: HeaderList): MediaType {
  const types = valuesOf(headers, 'content-type');
  if (!types.some(isMultipart)) return { kind: 'json' };
  const [type = ''] = types;
  if (types.length === 1 && FORM_TYPE.test(type)) return { kind: 'multipart', boundary: readBoundary(type) };
  throw new ApiError(
    'unsupported_media_type',
    'A multipart Content-Type must be multipart/form-data, given once.',
  );
}

const isMultipart = (type: string) => /^multipart\//i.test(type);
