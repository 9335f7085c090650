import { ApiError, LIMITS, OPTION_KINDS, type QuestionType } from '../../api/index.js';
import type { JsonNode, Question } from '../decide-types.js';
import { field } from './json-fields.js';
import { stateText } from './state-text.js';
import { truncateCodePoints } from './strings.js';

/**
 * Converts a question of a System One client to the form of contract 2.2. On `/v1/systemone` only, such a client may send
 * an object or a list as instructions or as a description, which becomes indented JSON as a state does, and `noul`
 * criteria that describe one side or none, where the missing side becomes `null`. Everything else is left as it is and
 * checked by the reader of questions.
 *
 * @param subject what error messages call the question
 * @throws ApiError `invalid_question` if the indented JSON is longer than `LIMITS.structuredTextCodePoints`
 */
export function fromSystemOne(subject: string, question: JsonNode): JsonNode {
  if (question.kind !== 'object') return question;
  const type = field(question, 'type');
  return mapFields(question, (value, key) => {
    if (key === 'instructions') return toText(subject, value);
    return key === 'criteria' && type?.kind === 'text' ? criteriaOf(subject, type.value, value) : value;
  });
}

/** The questions without the objects and lists, which other threads would copy. Call it when their references are found. */
export const withoutJson = (questions: readonly Question[]): Question[] =>
  questions.map(({ json: _, options, ...question }) => ({
    ...question,
    options: options.map(({ json: __, ...option }) => option),
  }));

function criteriaOf(subject: string, type: string, criteria: JsonNode): JsonNode {
  const kind = OPTION_KINDS[type as QuestionType];
  if (criteria.kind === 'array' && kind === 'levels') {
    return { kind: 'array', items: criteria.items.map((item) => toText(subject, item)) };
  }
  const described = mapFields(criteria, (value) => toText(subject, value));
  return kind === 'sides' ? withBothSides(described) : described;
}

const NULL: JsonNode = { kind: 'literal', source: 'null' };
const SIDES = [
  ['true', 'false'],
  ['yes', 'no'],
] as const;

function withBothSides(criteria: JsonNode): JsonNode {
  if (criteria.kind !== 'object' || criteria.entries.length > 1) return criteria;
  const [entry] = criteria.entries;
  if (entry === undefined) return NULL;
  const sides = SIDES.find((names) => names.some((name) => name === entry[0]));
  const other = sides?.find((name) => name !== entry[0]);
  return other === undefined ? criteria : { kind: 'object', entries: [entry, [other, NULL]] };
}

function toText(subject: string, node: JsonNode): JsonNode {
  if (node.kind !== 'object' && node.kind !== 'array') return node;
  const max = LIMITS.structuredTextCodePoints;
  const value = stateText(node, max + 1);
  if (truncateCodePoints(value, max) === value) return { kind: 'text', value, json: node };
  throw new ApiError(
    'invalid_question',
    `${subject}: an object or a list in place of a string is longer than the limit of ${max} characters as indented JSON.`,
  );
}

/** Replaces every value of an object; returns anything else unchanged. */
function mapFields(node: JsonNode, change: (value: JsonNode, key: string) => JsonNode): JsonNode {
  if (node.kind !== 'object') return node;
  return { kind: 'object', entries: node.entries.map(([key, value]) => [key, change(value, key)] as const) };
}
