import { ApiError, DEFAULT_IMAGE_BUDGET, IMAGE_BUDGETS, type ImageBudget } from '../../api/index.js';
import type { DecideRequest, JsonNode, Question } from '../decide-types.js';
import { readAssets } from './assets.js';
import { refuseFileParts } from './file-parts.js';
import { isAbsent } from './json-fields.js';
import type { OpenBody } from './open-body.js';
import { readOrdered } from './ordered-json.js';
import { readQuestions } from './questions.js';
import { quoteName } from './strings.js';

/** The rules of an endpoint about models. */
export interface ReadOptions {
  /** Whether the endpoint has one model, so that the body's `model` is read by `pinnedBuild`, whatever its type (contract 2.1). */
  readonly ignoresModel: boolean;
  /** Whether a model of this id answers here. */
  knows(model: string): boolean;
  /** Whether the caller may use the model of this id; null: the default one. */
  allows(model: string | null): boolean;
  /**
   * On `/v1/decide` an unknown model is refused. On `/v1/systemone` it means the default one (contract 4.2), and the
   * extensions of System One clients are accepted: see `system-one.ts`, and a state of `null`.
   */
  readonly format: 'decide' | 'systemone';
  /** Those that were read before; null: they are not known. Absent: the body has them. */
  readonly questions?: readonly Question[] | null | undefined;
}

/**
 * Reads and checks the fields of a decide request (contract 2.1 to contract 2.3), as far as no model is needed. The
 * checks run in the order of the table of errors, so that a body with two errors is refused for the first one.
 * State, questions and labels keep the order of the body. `null` is invalid for `assets` and `image_budget`
 * (contract 7.2); as `model` it means the default one.
 *
 * @throws ApiError `invalid_request`, `model_not_found`, `model_not_allowed`, `missing`, a type of the questions,
 *   `invalid_image_budget`, `invalid_assets` or `too_many_images`
 */
export function readRequest({ fields, sources }: OpenBody, options: ReadOptions): DecideRequest {
  const model = options.ignoresModel ? null : readModel(fields.model, options);
  if (!options.allows(model))
    throw new ApiError('model_not_allowed', 'The workspace may not use this model.');
  const systemOne = options.format === 'systemone';
  if (fields.state === undefined || (fields.state === null && !systemOne))
    throw new ApiError('missing', 'The request has no `state`, or it is null.');
  const questions =
    options.questions === undefined
      ? readQuestionField(sources, fields.questions, systemOne)
      : (options.questions ?? []);
  const images = readImageFields(fields);
  const state = readField(sources, 'state');
  if (systemOne) refuseFileParts(state);
  return { model, state, questions, ...images };
}

/** The images of a request. Throws ApiError `invalid_image_budget`, and what `readAssets` throws. */
export function readImageFields(fields: OpenBody['fields']): Pick<DecideRequest, 'imageBudget' | 'assets'> {
  const imageBudget = readImageBudget(fields.image_budget);
  return { imageBudget, assets: fields.assets === undefined ? [] : readAssets(fields.assets) };
}

function readModel(value: unknown, options: ReadOptions): string | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') {
    throw new ApiError('invalid_request', '`model` must be a string.');
  }
  if (options.knows(value)) return value;
  if (options.format === 'systemone') return null;
  throw new ApiError(
    'model_not_found',
    `\`model\`: this endpoint does not serve ${quoteName(value)}. GET /v1/models lists its models.`,
  );
}

function readQuestionField(sources: OpenBody['sources'], parsed: unknown, systemOne: boolean): Question[] {
  if (isAbsent(parsed)) {
    throw new ApiError('invalid_questions', 'The request has no `questions`, or they are null.');
  }
  return readQuestions(readField(sources, 'questions'), systemOne);
}

/** Reads a top-level field again, in the order in which it was written. */
function readField(sources: OpenBody['sources'], name: string): JsonNode {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`the scan did not find ${name}, which the parser did`);
  return readOrdered(source);
}

function readImageBudget(value: unknown): ImageBudget {
  if (value === undefined) return DEFAULT_IMAGE_BUDGET;
  const known = IMAGE_BUDGETS.find((budget) => budget === value);
  if (known !== undefined) return known;
  const shown = typeof value === 'number' ? `, not ${value}` : '';
  const budgets = IMAGE_BUDGETS.join(', ');
  throw new ApiError('invalid_image_budget', `\`image_budget\` must be one of ${budgets}${shown}.`);
}
