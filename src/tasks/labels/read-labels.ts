import {
  ApiError,
  type ContentEncoding,
  type ErrorType,
  isBatchId,
  isCustomId,
  LIMITS,
  OPTION_KINDS,
} from '../../api/index.js';
import { type FileLine, splitLines } from '../../base/index.js';
import {
  decompress,
  type OpenBody,
  openBody,
  type Question,
  readStoredQuestions,
} from '../../decide/index.js';
import { lineReference } from '../task-answer.js';
import type { Expected } from './label.js';
import { stateReference } from './state-reference.js';

/** The body of a call with labels, and the questions that they answer, as JSON. */
export interface SentLabels {
  readonly body: Uint8Array;
  readonly encoding: ContentEncoding;
  readonly questions: string;
}

/** A line of the body. */
export interface ReadLabel {
  readonly line: number;
  readonly reference: string;
  readonly expected: Expected;
  /** The line itself, if it has a state that is decided first; null: it names an answer. */
  readonly body: Uint8Array | null;
}

/** An entry of `errors`. */
export interface LabelFault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

export type ReadLabels =
  | { readonly ok: true; readonly labels: readonly ReadLabel[] }
  | {
      readonly ok: false;
      readonly type: ErrorType;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

const REQUEST_ID = /^req_[A-Za-z0-9]{24}$/;
const isRequestId = (text: string) => REQUEST_ID.test(text);
const FIELDS = ['request_id', 'batch_id', 'custom_id', 'state'] as const;

/** Reads and checks the lines of a body. Never rejects because of a body, however malformed. */
export async function readLabels({ body, encoding, questions }: SentLabels): Promise<ReadLabels> {
  try {
    const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const plain = await decompress(sent, encoding, LIMITS.labelBytes);
    const asked = readStoredQuestions(questions);
    const labels: ReadLabel[] = [];
    const faults: LabelFault[] = [];
    let count = 0;
    for (const line of splitLines(plain)) {
      count += 1;
      if (count > LIMITS.labelLines) throw tooMany(LIMITS.labelLines, 'lines');
      const read = checkLine(line, asked);
      if ('error' in read) faults.push(read);
      else labels.push(read);
    }
    if (labels.filter((label) => label.body !== null).length > LIMITS.labelStates)
      throw tooMany(LIMITS.labelStates, 'lines with a state');
    if (faults.length > 0) return { ok: false, ...invalidLabels(faults) };
    if (count === 0) throw new ApiError('empty_batch', 'The body has no lines.');
    return { ok: true, labels };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { type, message, details } = error;
    return { ok: false, type, message, details };
  }
}

/** What is wrong with lines of labels of any number, before they are sent. `questions`: those of the task, as JSON. */
export function checkLabels(lines: Iterable<FileLine>, questions: string): LabelFault[] {
  const asked = readStoredQuestions(questions);
  const read = Array.from(lines, (line) => checkLine(line, asked));
  return read.filter((each) => 'error' in each);
}

/** Reads a line. Does not throw because of it. */
function checkLine(line: FileLine, questions: readonly Question[]): ReadLabel | LabelFault {
  try {
    return readLine(line, questions);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const type = error.type === 'invalid_json' ? 'invalid_json' : 'invalid_label';
    return { line: line.number, type, error: error.message };
  }
}

/** The refusal of labels. */
export function invalidLabels(faults: readonly LabelFault[]) {
  return {
    type: 'invalid_labels' as const,
    message: `${faults.length === 1 ? '1 line is' : `${faults.length} lines are`} invalid; no label of the call was stored.`,
    details: { errors: faults.slice(0, LIMITS.batchErrors), invalid_lines: faults.length },
  };
}

const tooMany = (max: number, what: string) =>
  new ApiError(
    'too_many_lines',
    `The body has more than ${max} ${what}, which is the limit. Send the rest in further calls.`,
    {},
    { max_lines: max },
  );

function readLine({ number, bytes }: FileLine, questions: readonly Question[]): ReadLabel {
  const line = openBody(bytes, ['state'], 'line');
  const { fields } = line;
  const given = FIELDS.filter((name) => fields[name] !== undefined && fields[name] !== null);
  const expected = readExpected(fields.expected, questions);
  const common = { line: number, expected };
  switch (given.join()) {
    case 'request_id':
      return { ...common, reference: readId(fields, 'request_id', isRequestId), body: null };
    case 'batch_id,custom_id': {
      const batch = readId(fields, 'batch_id', isBatchId);
      const customId = fields.custom_id;
      if (typeof customId !== 'string' || !isCustomId(customId))
        throw new ApiError('invalid_request', '`custom_id` is not one of a line.');
      return { ...common, reference: lineReference(batch, customId), body: null };
    }
    case 'state':
      return { ...common, reference: stateReference(line), body: Uint8Array.from(bytes) };
    default:
      throw new ApiError(
        'invalid_request',
        'A line has `request_id`, or `batch_id` and `custom_id`, or `state`, and nothing else of these.',
      );
  }
}

function readId(fields: OpenBody['fields'], name: string, isId: (text: string) => boolean): string {
  const value = fields[name];
  if (typeof value === 'string' && isId(value)) return value;
  throw new ApiError('invalid_request', `\`${name}\` is not an id.`);
}

function readExpected(value: unknown, questions: readonly Question[]): Expected {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('invalid_request', '`expected` must be an object of the correct answer by question.');
  const entries = Object.entries(value);
  if (entries.length === 0) throw new ApiError('invalid_request', '`expected` names no question.');
  const expected = entries.map(([name, answer]) => {
    const question = questions.find((each) => each.name === name);
    if (question === undefined)
      throw new ApiError('invalid_request', '`expected` names a question that the task does not have.');
    return [name, answer === null ? null : optionOf(question, answer)] as const;
  });
  return Object.fromEntries(expected);
}

/** The index of the correct option. */
function optionOf({ type, options }: Question, answer: unknown): number {
  const keys = options.map(({ key }) => key);
  switch (OPTION_KINDS[type]) {
    case 'sides':
      if (typeof answer === 'boolean') return keys.indexOf(String(answer));
      throw new ApiError('invalid_request', '`expected` of a noul must be true or false.');
    case 'labels': {
      const index = typeof answer === 'string' ? keys.indexOf(answer) : -1;
      if (index >= 0) return index;
      throw new ApiError('invalid_request', '`expected` of a choice must be one of its labels.');
    }
    case 'levels':
      if (typeof answer === 'number' && Number.isInteger(answer) && answer >= 0 && answer < keys.length)
        return answer;
      throw new ApiError(
        'invalid_request',
        `\`expected\` of a score must be a level from 0 to ${keys.length - 1}.`,
      );
  }
}
