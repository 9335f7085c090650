import { DeciderError } from './client-error.js';

/** Characters of a webhook's body: those of the server have about 60. */
const BODY_CHARACTERS_MAX = 4_096;
const BATCH_ID = /^batch_[A-Za-z0-9]{24}$/;

/** The id in the body of a webhook call (contract 2.10). Throws DeciderError `invalid_request`. */
export function batchOfWebhook(body: string | Uint8Array | object): string {
  const { id } = (parsed(body) ?? {}) as { readonly id?: unknown };
  if (typeof id === 'string' && BATCH_ID.test(id)) return id;
  throw new DeciderError('invalid_request', 'The body is not that of a webhook call.');
}

function parsed(body: string | Uint8Array | object): unknown {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return body;
  if (body.length > BODY_CHARACTERS_MAX) return null;
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return null;
  }
}
