import type { ErrorType } from '../../api/index.js';
import type { JsonNode } from '../decide-types.js';
import { field } from '../request/json-fields.js';
import { objectAt, refusedAt, stringAt } from './place.js';
import type { SentImages } from './sent-images.js';

/** A part of a content. */
export type Part =
  | { readonly kind: 'text' | 'refusal'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonNode }
  /** The index of an image in `SentImages`. */
  | { readonly kind: 'image'; readonly image: number };

/** The `type` of a part. */
export type PartType = 'input_text' | 'input_image' | 'input_json' | 'output_text' | 'refusal';

/**
 * Reads a content: a string, or a list of parts of some types. Other fields of a part, such as
 * `prompt_cache_breakpoint`, are ignored.
 *
 * @param node undefined: it is missing or null
 * @param type of the errors
 * @throws ApiError with the place of the first invalid value
 */
export function readParts(
  node: JsonNode | undefined,
  place: string,
  types: readonly PartType[],
  images: SentImages,
  type: ErrorType,
): Part[] {
  if (node?.kind === 'text') return [{ kind: 'text', text: node.value }];
  if (node?.kind !== 'array') throw refusedAt(place, 'must be a string or a list of parts', type);
  return node.items.map((item, index) => readPart(item, `${place}[${index}]`, types, images, type));
}

function readPart(
  node: JsonNode,
  place: string,
  types: readonly PartType[],
  images: SentImages,
  error: ErrorType,
): Part {
  const part = objectAt(node, place, error);
  const sent = field(part, 'type');
  const type = types.find((each) => sent?.kind === 'text' && sent.value === each);
  const text = (name: string) => stringAt(field(part, name), `${place}.${name}`, error);
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: text('text') };
    case 'refusal':
      return { kind: 'refusal', text: text('refusal') };
    case 'input_image':
      return { kind: 'image', image: images.add(part, place, error) };
    case 'input_json':
      return { kind: 'json', value: dataAt(field(part, 'data'), `${place}.data`, error) };
    case undefined: {
      const known = types.map((each) => `\`${each}\``).join(' or ');
      throw refusedAt(`${place}.type`, `must be ${known}`, error);
    }
  }
}

function dataAt(node: JsonNode | undefined, place: string, error: ErrorType): JsonNode {
  const isObjects = node?.kind === 'array' && node.items.every(({ kind }) => kind === 'object');
  if (node !== undefined && (node.kind === 'object' || isObjects)) return node;
  throw refusedAt(place, 'must be an object or a list of objects', error);
}
