import { ApiError, type ErrorType } from '../../../src/api/index.js';
import type { DecideRequest, Question } from '../../../src/decide/decide-types.js';
import { openBody } from '../../../src/decide/request/open-body.js';
import { type ReadOptions, readRequest } from '../../../src/decide/request/read-request.js';

/** An endpoint that knows the model `known`. */
export const OPTIONS: ReadOptions = {
  ignoresModel: false,
  knows: (model) => model === 'known',
  allows: () => true,
  format: 'decide',
};

/** Reads a body given as JSON text or as bytes. */
export function read(body: string | Uint8Array, options = OPTIONS): DecideRequest {
  return readRequest(openBody(typeof body === 'string' ? Buffer.from(body) : body), options);
}

/** A body whose only question is `source`, named `q`. */
export function withQuestion(source: string): string {
  return `{"state":"s","questions":{"q":${source}}}`;
}

/** The checked question that `source` stands for. */
export function readQuestion(source: string): Question {
  return read(withQuestion(source)).questions[0] as Question;
}

/** The options of a question of a type with the criteria `criteria`. */
export function readCriteria(type: string, criteria: string): Question['options'] {
  return readQuestion(`{"type":"${type}","criteria":${criteria}}`).options;
}

/** How a body is refused; throws where it is not, or by another exception. */
export function refusal(body: string | Uint8Array): ApiError {
  try {
    read(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${String(body).slice(0, 200)}`);
}

/** The type a body is refused with. */
export function refusedAs(body: string | Uint8Array): ErrorType {
  return refusal(body).type;
}

/** The type a question is refused with. */
export function questionRefusedAs(source: string): ErrorType {
  return refusedAs(withQuestion(source));
}

/** `count` distinct labels or levels, as a JSON list. */
export function listOf(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, index) => `o${index}`));
}

/** `count` valid questions with distinct names, as a JSON object. */
export function questionsOf(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"q${index}":{"type":"noul"}`).join(',')}}`;
}
