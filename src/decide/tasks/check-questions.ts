import type { Catalog } from '../../engine/index.js';
import { checkRequest } from '../check-request.js';
import type { Question } from '../decide-types.js';
import { compactJson } from '../request/compact-json.js';
import type { OpenBody } from '../request/open-body.js';
import { readOrdered } from '../request/ordered-json.js';
import { readQuestions } from '../request/questions.js';

/** A state for questions that are checked without one. */
const NO_STATE = '""';
const NO_FILES = new Map<string, Uint8Array>();

/** Questions that are asked later, and the model that is to answer them. */
interface StoredQuestions {
  /** `questions` as JSON without spaces, in the order sent. */
  readonly questions: string;
  /** The id of a model or build; null: the default model. */
  readonly model: string | null;
}

/**
 * Checks `questions` and `model` of a body by the rules of a request, as far as they need no state and no tokens.
 *
 * @param allowedModels the ids of the models that the caller may use; null: all
 * @throws ApiError `invalid_request`, `model_not_found`, `model_not_allowed`, or a type of the questions
 */
export function checkQuestions(
  { fields, sources }: OpenBody,
  catalog: Pick<Catalog, 'find'>,
  allowedModels: readonly string[] | null,
): StoredQuestions {
  const { model, questions } = fields;
  const source = sources.get('questions');
  const asked = source === undefined ? [] : [['questions', source] as const];
  const body: OpenBody = {
    fields: { model, questions, state: '' },
    sources: new Map([['state', NO_STATE], ...asked]),
  };
  const { request } = checkRequest(
    body,
    { model: null, files: NO_FILES, format: 'decide', allowedModels },
    catalog,
  );
  return { questions: compactJson(source as string), model: request.model };
}

/** Reads questions that `checkQuestions` has accepted. */
export const readStoredQuestions = (questions: string): Question[] =>
  readQuestions(readOrdered(questions), false);
