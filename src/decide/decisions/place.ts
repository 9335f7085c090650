import { ApiError, type ErrorType } from '../../api/index.js';
import type { JsonNode } from '../decide-types.js';

/** A JSON object of a request. */
export type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/**
 * The error about the value at a place in the request, such as `questions[3].choices[17].value`.
 *
 * @param predicate completes the sentence that begins with the place
 */
export function refusedAt(place: string, predicate: string, type: ErrorType): ApiError {
  return errorAt(place, `\`${place}\` ${predicate}.`, type);
}

/** An error about the value at a place, with a sentence of its own. */
export function errorAt(place: string, message: string, type: ErrorType): ApiError {
  return new ApiError(type, message, {}, {}, place);
}

/** The object at a place. Throws ApiError of the given type. */
export function objectAt(node: JsonNode, place: string, type: ErrorType): ObjectNode {
  if (node.kind === 'object') return node;
  throw refusedAt(place, 'must be an object', type);
}

/** The string at a place; `undefined`: it is missing or null. Throws ApiError of the given type. */
export function stringAt(node: JsonNode | undefined, place: string, type: ErrorType): string {
  if (node?.kind === 'text') return node.value;
  throw refusedAt(place, 'must be a string', type);
}
