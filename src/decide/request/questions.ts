import { ApiError, LIMITS, QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import type { JsonNode, Question } from '../decide-types.js';
import { readOptions } from './criteria.js';
import { field, firstRepeated, jsonOf, textOrNull } from './json-fields.js';
import { quoteName, truncateCodePoints } from './strings.js';
import { fromSystemOne } from './system-one.js';

/**
 * Checks `questions` (contract 2.1 and contract 2.2) and reads them in the order sent.
 *
 * @param systemOne whether the extensions of System One clients are accepted
 * @throws ApiError `invalid_request` for a value that is not an object, `invalid_questions` for an empty one or
 *   a name that is repeated or too long, `too_many_questions`, and what `readQuestion` throws for the first invalid one
 */
export function readQuestions(node: JsonNode, systemOne: boolean): Question[] {
  if (node.kind !== 'object') throw new ApiError('invalid_request', '`questions` must be an object.');
  const { entries } = node;
  if (entries.length === 0) {
    throw new ApiError('invalid_questions', '`questions` is empty; it must hold at least 1 question.');
  }
  const repeated = firstRepeated(entries.map(([name]) => name));
  if (repeated !== undefined) {
    throw new ApiError('invalid_questions', `\`questions\` holds the name ${quoteName(repeated)} twice.`);
  }
  if (entries.length > LIMITS.questions) {
    throw new ApiError(
      'too_many_questions',
      `\`questions\` holds ${entries.length} questions; the limit is ${LIMITS.questions}.`,
    );
  }
  const long = entries.find(([name]) => codePointsOver(name, LIMITS.questionNameCodePoints));
  if (long !== undefined) {
    throw new ApiError(
      'invalid_questions',
      `The name ${quoteName(long[0])} is longer than the limit of ${LIMITS.questionNameCodePoints} characters.`,
    );
  }
  return entries.map(([name, question]) => readQuestion(name, question, systemOne));
}

/**
 * Checks one question (contract 2.2). Its other fields are ignored.
 *
 * @throws ApiError `invalid_question` if it is not an object or its instructions are not a string, `invalid_type`,
 *   and what `readOptions` throws for its criteria
 */
function readQuestion(name: string, sent: JsonNode, systemOne: boolean): Question {
  const subject = `Question ${quoteName(name)}`;
  const node = systemOne ? fromSystemOne(subject, sent) : sent;
  if (node.kind !== 'object') throw new ApiError('invalid_question', `${subject} must be an object.`);
  const type = readType(subject, field(node, 'type'));
  const sentInstructions = field(node, 'instructions');
  const instructions = textOrNull(sentInstructions ?? NULL);
  if (instructions === undefined) {
    throw new ApiError('invalid_question', `${subject}: \`instructions\` must be a string or null.`);
  }
  const options = readOptions(subject, type, field(node, 'criteria'));
  return { name, type, instructions, options, ...jsonOf(sentInstructions) };
}

const codePointsOver = (text: string, max: number) => truncateCodePoints(text, max) !== text;

const NULL: JsonNode = { kind: 'literal', source: 'null' };

function readType(subject: string, node: JsonNode | undefined): QuestionType {
  const type = QUESTION_TYPES.find((known) => node?.kind === 'text' && node.value === known);
  if (type === undefined) {
    const known = QUESTION_TYPES.map((name) => `\`${name}\``).join(', ');
    throw new ApiError('invalid_type', `${subject}: \`type\` must be one of ${known}.`);
  }
  return type;
}
