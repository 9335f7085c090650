import { ApiError } from '../../api/index.js';
import type { JsonNode } from '../decide-types.js';
import { field } from './json-fields.js';

/**
 * Refuses a state with a file part of the AI SDK, `{"type": "file", "mediaType": …, "data": …}` in a list (contract 4.2 rule
 * 4): its provider for System One sends the bytes of an image as base64 text or as a list of numbers, and the model would
 * read these characters.
 *
 * @throws ApiError `invalid_assets`
 */
export function refuseFileParts(state: JsonNode): void {
  if (state.kind !== 'array') return;
  const at = state.items.findIndex(isFilePart);
  if (at < 0) return;
  throw new ApiError(
    'invalid_assets',
    `\`state[${at}]\` is a file part, whose bytes would be read as text. Send an image in \`assets\`, and its reference in the state; on /v1/decisions, file parts are images.`,
  );
}

function isFilePart(node: JsonNode): boolean {
  if (node.kind !== 'object') return false;
  const [type, mediaType, data] = ['type', 'mediaType', 'data'].map((name) => field(node, name));
  return (
    type?.kind === 'text' &&
    type.value === 'file' &&
    mediaType?.kind === 'text' &&
    (data?.kind === 'text' || data?.kind === 'object')
  );
}
