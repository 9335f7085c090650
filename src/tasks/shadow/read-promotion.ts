import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../../api/index.js';
import { decompress, type OpenBody, openBody } from '../../decide/index.js';
import type { ExpectedShadow } from './promote-task.js';

/** The body of a call that promotes a shadow. */
export interface SentPromotion {
  readonly body: Uint8Array;
  readonly encoding: ContentEncoding;
}

/** What the caller expects, or an error as plain fields, because class instances do not cross threads. */
export type ReadPromotion =
  | { readonly ok: true; readonly expected: ExpectedShadow }
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

/** Reads and checks the body of a promotion; an empty one expects nothing. Never rejects because of a body, however malformed. */
export async function readPromotion({ body, encoding }: SentPromotion): Promise<ReadPromotion> {
  try {
    const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const plain = await decompress(sent, encoding, LIMITS.promotionBytes);
    if (plain.length === 0) return { ok: true, expected: { version: null, build: null } };
    return { ok: true, expected: expectedOf(openBody(plain, [])) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    throw error;
  }
}

function expectedOf({ fields }: OpenBody): ExpectedShadow {
  const { version = null, model = null } = fields;
  if (version !== null && !(typeof version === 'number' && Number.isInteger(version)))
    throw new ApiError('invalid_request', '`version` must be the number of a version, or null.');
  if (model !== null && typeof model !== 'string')
    throw new ApiError('invalid_request', '`model` must be the id of a build, or null.');
  return { version, build: model };
}
