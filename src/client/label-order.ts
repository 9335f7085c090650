import { isMap } from './encode.js';

/** The largest key of an object that JavaScript moves to the beginning. */
const INDEX_MAX = 2 ** 32 - 2;

const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) <= INDEX_MAX;

/** Throws TypeError for criteria of a choice whose labels have lost their order, which the model sees. */
export function requireLabelOrder(criteria: unknown, name: string): void {
  if (typeof criteria !== 'object' || criteria === null) return;
  if (Array.isArray(criteria) || isMap(criteria)) return;
  const labels = Object.keys(criteria);
  // JavaScript puts those that are moved first.
  const [first] = labels;
  if (labels.length < 2 || first === undefined || !isIndex(first)) return;
  throw new TypeError(
    `${name}: JavaScript changes the order of labels that are whole numbers, such as "${first}". Give a list of labels, or a Map of label to description.`,
  );
}

/** As `requireLabelOrder`, for each choice of a request. */
export function requireLabelOrders(questions: unknown, name: string): void {
  if (typeof questions !== 'object' || questions === null) return;
  for (const [key, question] of isMap(questions) ? questions : Object.entries(questions)) {
    if (typeof question !== 'object' || question === null || question.type !== 'choice') continue;
    requireLabelOrder(question.criteria, `${name}.${key}.criteria`);
  }
}
