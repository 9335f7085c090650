import { ApiError, OPTION_KINDS, type QuestionType } from '../../api/index.js';
import { exceedsCodePoints } from '../../base/index.js';
import { ANY_MODEL, checkRequest, type DecideRequest, openBody, type Question } from '../../decide/index.js';
import type { Split } from '../answered.js';

/** A question of a case whose correct answer is known. */
export interface ExpectedAnswer {
  readonly question: string;
  readonly type: QuestionType;
  /** The option keys, in the order of the question. */
  readonly options: readonly string[];
  /** The index of the correct one. */
  readonly expected: number;
}

/** One checked line of a cases file. */
export interface Case {
  /** From 1. */
  readonly line: number;
  readonly id: string;
  readonly group: string | null;
  readonly split: Split | null;
  /** The model that the request names. */
  readonly model: string | null;
  /** The JSON text of the request as written: order of keys and form of numbers count. */
  readonly request: string;
  readonly answers: readonly ExpectedAnswer[];
}

/** Why a line is not a case. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
}

/** Characters of `id` and `group`. */
export const NAME_CHARACTERS_MAX = 256;
const SPLITS: readonly Split[] = ['development', 'held_out'];
const FIELDS = new Set(['id', 'group', 'split', 'request', 'expected']);
const NO_FILES = new Map<string, Uint8Array>();

/**
 * Reads one case and checks its request by every rule that needs no model.
 *
 * @param line its number, from 1
 * @throws CaseError
 */
export function readCase(bytes: Uint8Array, line: number): Case {
  try {
    const { fields, sources } = openBody(bytes, ['request'], 'line');
    const unknown = Object.keys(fields).find((name) => !FIELDS.has(name));
    if (unknown !== undefined) {
      throw new CaseError(`unknown field ${JSON.stringify(unknown)}; a case has ${[...FIELDS].join(', ')}`);
    }
    const request = sources.get('request');
    if (request === undefined) throw new CaseError('`request` is missing');
    const checked = checkSource(request);
    return {
      line,
      id: readName(fields.id, 'id'),
      group: fields.group === undefined || fields.group === null ? null : readName(fields.group, 'group'),
      split: readSplit(fields.split),
      model: checked.model,
      request: request.trim(),
      answers: readExpected(fields.expected, checked.questions),
    };
  } catch (error) {
    throw error instanceof ApiError ? new CaseError(`${error.type}: ${error.message}`) : error;
  }
}

/** Throws ApiError. */
function checkSource(request: string): DecideRequest {
  const terms = { model: null, files: NO_FILES, format: 'decide', allowedModels: null } as const;
  return checkRequest(openBody(Buffer.from(request)), terms, ANY_MODEL).request;
}

function readName(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '' && !exceedsCodePoints(value, NAME_CHARACTERS_MAX))
    return value;
  throw new CaseError(`\`${field}\` must be a string of 1 to ${NAME_CHARACTERS_MAX} characters`);
}

function readSplit(value: unknown): Split | null {
  if (value === undefined || value === null) return null;
  const split = SPLITS.find((name) => name === value);
  if (split === undefined) throw new CaseError(`\`split\` must be ${SPLITS.join(' or ')}`);
  return split;
}

function readExpected(value: unknown, questions: readonly Question[]): ExpectedAnswer[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CaseError('`expected` must be an object of the correct answer by question');
  }
  const entries = Object.entries(value);
  if (entries.length === 0) throw new CaseError('`expected` names no question');
  return entries.map(([name, answer]) => {
    const question = questions.find((each) => each.name === name);
    if (question === undefined) {
      throw new CaseError(
        `\`expected\` names ${JSON.stringify(name)}, which is not a question of the request`,
      );
    }
    const { type, options } = question;
    const keys = options.map(({ key }) => key);
    return { question: name, type, options: keys, expected: indexOf(name, type, keys, answer) };
  });
}

function indexOf(name: string, type: QuestionType, keys: readonly string[], answer: unknown): number {
  const subject = `\`expected\` of ${JSON.stringify(name)} must be`;
  switch (OPTION_KINDS[type]) {
    case 'sides':
      if (typeof answer !== 'boolean') throw new CaseError(`${subject} true or false`);
      return keys.indexOf(String(answer));
    case 'labels': {
      const index = typeof answer === 'string' ? keys.indexOf(answer) : -1;
      if (index < 0)
        throw new CaseError(`${subject} one of the labels ${keys.map((k) => JSON.stringify(k)).join(', ')}`);
      return index;
    }
    case 'levels':
      if (typeof answer === 'number' && Number.isInteger(answer) && answer >= 0 && answer < keys.length)
        return answer;
      throw new CaseError(`${subject} a level from 0 to ${keys.length - 1}`);
  }
}
