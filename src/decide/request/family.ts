import { ApiError, LIMITS } from '../../api/index.js';
import type { JsonNode } from '../types.js';
import { field } from './nodes.js';
import { stateText } from './state-text.js';
import { truncateCodePoints } from './strings.js';

/**
 * A question of a family client in the form of contract 2.2. A family client may send, to `/v1/systemone` only:
 * an object or a list where the contract has a text, of instructions or of a description, which becomes its indented
 * JSON, as a state's does; and criteria of a `noul` that describe one side or none, of which the other becomes `null`.
 * Everything else stays as it is, for the reader of questions to judge.
 *
 * @param subject how a message calls the question
 * @throws ApiError `invalid_question` where such a text is longer than `LIMITS.structuredTextCodePoints`
 */
export function fromFamily(subject: string, question: JsonNode): JsonNode {
  if (question.kind !== 'object') return question;
  const type = field(question, 'type');
  return mapFields(question, (value, key) => {
    if (key === 'instructions') return toText(subject, value);
    return key === 'criteria' && type?.kind === 'text' ? criteriaOf(subject, type.value, value) : value;
  });
}

function criteriaOf(subject: string, type: string, criteria: JsonNode): JsonNode {
  if (criteria.kind === 'array' && type === 'score') {
    return { kind: 'array', items: criteria.items.map((item) => toText(subject, item)) };
  }
  const described = mapFields(criteria, (value) => toText(subject, value));
  return type === 'noul' ? withBothSides(described) : described;
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
  if (truncateCodePoints(value, max) === value) return { kind: 'text', value };
  throw new ApiError(
    'invalid_question',
    `${subject}: an object or a list in place of a string is longer than the limit of ${max} characters as indented JSON.`,
  );
}

/** The object with every value replaced; anything else as it is. */
function mapFields(node: JsonNode, change: (value: JsonNode, key: string) => JsonNode): JsonNode {
  if (node.kind !== 'object') return node;
  return { kind: 'object', entries: node.entries.map(([key, value]) => [key, change(value, key)] as const) };
}
