import { createHash } from 'node:crypto';
import { ApiError } from '../../api/index.js';
import { compactJson, type OpenBody, readImageFields } from '../../decide/index.js';

/**
 * What names the answer to a state, so that the same state with the same images is the same answer, however its JSON is
 * written: spaces and escapes, which a JSON library chooses, and fields that say the default do not count.
 */
export function stateReference({ fields, sources }: OpenBody): string {
  const state = compactJson(sources.get('state') as string);
  const said = JSON.stringify([state, ...imagesOf(fields)]);
  return `state/${createHash('sha256').update(said).digest('hex')}`;
}

/** The images by their references, and the tokens that each may take; both null if there are none. */
function imagesOf(fields: OpenBody['fields']): readonly [images: unknown, budget: unknown] {
  try {
    const { assets, imageBudget } = readImageFields(fields);
    if (assets.length === 0) return [null, null];
    const sorted = assets.toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
    const images = sorted.map(({ reference, format, source }) => [
      reference,
      format,
      source.of === 'part' ? source.name : digestOf(source.text),
    ]);
    return [images, imageBudget];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The state is refused when it is decided, and never has an answer.
    return [{ refused: fields.assets }, fields.image_budget];
  }
}

const digestOf = (base64: string): string =>
  createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
