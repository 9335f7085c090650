import { ApiError, LIMITS } from '../api/index.js';
import type { Question } from './decide-types.js';
import { isAbsent } from './request/json-fields.js';
import { requireFewPrompts } from './rotations.js';

/** What a response has besides its answers, and in how many orders its choices are asked. */
export interface Diagnostics {
  /** Whether each answer has the probabilities of its options, neither rounded nor committed. */
  readonly rawProbabilities: boolean;
  /** Whether each answer has the probability that the model gave to the labels of its options together. */
  readonly labelMass: boolean;
  /** In how many orders of its options each choice is asked, 1 to `LIMITS.optionRotations`; see `rotationsOf`. */
  readonly optionRotations: number;
}

export const NO_DIAGNOSTICS: Diagnostics = { rawProbabilities: false, labelMass: false, optionRotations: 1 };

/**
 * What a request asks for.
 *
 * @param asked see `RequestTerms`
 * @throws ApiError `invalid_request` for an invalid field, and for rotations that take too many prompts
 */
export function checkDiagnostics(
  asked: Diagnostics | 'line' | undefined,
  fields: Readonly<Record<string, unknown>>,
  questions: readonly Question[],
): Diagnostics {
  const diagnostics = asked === 'line' ? readDiagnostics(fields) : (asked ?? NO_DIAGNOSTICS);
  const name = asked === 'line' ? 'option_rotations' : 'Service-Option-Rotations';
  requireFewPrompts(questions, diagnostics.optionRotations, name);
  return diagnostics;
}

/** Reads the fields of a batch line (contract 2.5). `null` counts as absent. Throws ApiError `invalid_request`. */
function readDiagnostics(fields: Readonly<Record<string, unknown>>): Diagnostics {
  return {
    rawProbabilities: readFlag(fields, 'raw_probabilities'),
    labelMass: readFlag(fields, 'label_mass'),
    optionRotations: readRotations(fields.option_rotations),
  };
}

function readFlag(fields: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = fields[name];
  if (isAbsent(value)) return false;
  if (typeof value === 'boolean') return value;
  throw new ApiError('invalid_request', `\`${name}\` must be true or false.`);
}

function readRotations(value: unknown): number {
  if (isAbsent(value)) return 1;
  const isValid = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.optionRotations;
  if (isValid) return Number(value);
  throw new ApiError(
    'invalid_request',
    `\`option_rotations\` must be an integer from 1 to ${LIMITS.optionRotations}.`,
  );
}
