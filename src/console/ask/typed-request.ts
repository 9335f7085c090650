import { field, indented, type JsonNode, NULL, object } from '../json/json-node.js';
import { isKept, JAVASCRIPT_KEEPS } from './kept-json.js';

/**
 * The same request as the types of the client library have it: labels are an object with null for those without a
 * description, and the sides of a noul are `true` and `false`.
 */
export function typedRequest(request: JsonNode): JsonNode {
  if (request.kind !== 'object') return request;
  return object(
    request.entries.map(([name, value]) => [name, name === 'questions' ? typedQuestions(value) : value]),
  );
}

function typedQuestions(questions: JsonNode): JsonNode {
  if (questions.kind !== 'object') return questions;
  return object(questions.entries.map(([name, question]) => [name, typedQuestion(question)]));
}

function typedQuestion(question: JsonNode): JsonNode {
  const type = field(question, 'type');
  if (question.kind !== 'object' || type?.kind !== 'text') return question;
  const typed = (criteria: JsonNode): JsonNode => {
    if (type.value === 'choice') return typedLabels(criteria);
    return type.value === 'noul' ? typedSides(criteria) : criteria;
  };
  return object(question.entries.map(([name, value]) => [name, name === 'criteria' ? typed(value) : value]));
}

function typedLabels(criteria: JsonNode): JsonNode {
  if (criteria.kind !== 'list') return criteria;
  const labels = criteria.items.flatMap((item) => (item.kind === 'text' ? [item.value] : []));
  const typed = object(labels.map((label) => [label, NULL]));
  if (labels.length === criteria.items.length && isKept(typed, JAVASCRIPT_KEEPS)) return typed;
  // An object would lose a label, or change their order.
  return { kind: 'literal', source: `${indented(criteria).replace(/\n */g, ' ')} as never` };
}

const SIDES: Readonly<Record<string, string>> = { yes: 'true', no: 'false' };

function typedSides(criteria: JsonNode): JsonNode {
  if (criteria.kind !== 'object') return criteria;
  const typed = object(criteria.entries.map(([name, value]) => [SIDES[name] ?? name, value]));
  // `yes` beside `true`, which the server refuses.
  return isKept(typed, JAVASCRIPT_KEEPS) ? typed : criteria;
}
