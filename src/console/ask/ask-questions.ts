import { OPTION_KINDS, QUESTION_TYPES, type QuestionType, questionTypes } from '../../api/index.js';
import { field, type JsonNode, list, NULL, object, text } from '../json/json-node.js';
import { type OptionDraft, option, optionsFor, type QuestionDraft, question } from './ask-draft.js';

/** The questions of the form as the interface has them (contract 2.2). */
export function questionsNode(questions: readonly QuestionDraft[]): JsonNode {
  return object(questions.map((each) => [each.name, questionNode(each)]));
}

function questionNode({ type, instructions, options }: QuestionDraft): JsonNode {
  const criteria = criteriaNode(type, options);
  return object([
    ['type', text(type)],
    ...(instructions === '' ? [] : [['instructions', text(instructions)] as const]),
    ...(criteria === null ? [] : [['criteria', criteria] as const]),
  ]);
}

const described = ({ description }: OptionDraft): JsonNode => (description === '' ? NULL : text(description));

function criteriaNode(type: QuestionType, options: readonly OptionDraft[]): JsonNode | null {
  const plain = options.every(({ description }) => description === '');
  const kind = OPTION_KINDS[type];
  if (kind === 'levels') return list(options.map(described));
  if (kind === 'labels') {
    if (plain) return list(options.map(({ label }) => text(label)));
    return object(options.map((each) => [each.label, described(each)]));
  }
  const [yes, no] = options;
  if (plain || yes === undefined || no === undefined) return null;
  return object([
    ['yes', described(yes)],
    ['no', described(no)],
  ]);
}

/** A question's JSON cannot be shown by the form; the message says why. */
class NotInForm extends Error {
  override readonly name = 'NotInForm';
}

/** The form of questions that are given as JSON. Throws NotInForm. */
export function questionsOf(node: JsonNode): QuestionDraft[] {
  if (node.kind !== 'object') throw new NotInForm('Questions are an object of questions by name.');
  return node.entries.map(([name, each]) => {
    const type = QUESTION_TYPES.find((known) => textOf(field(each, 'type') ?? NULL) === known);
    if (type === undefined)
      throw new NotInForm(`"${name}" has no type that the form knows: ${questionTypes()}.`);
    const instructions = textOf(field(each, 'instructions') ?? NULL);
    if (instructions === null) throw new NotInForm(`The instructions of "${name}" are empty, or not a text.`);
    const options = optionsOf(type, field(each, 'criteria') ?? NULL);
    if (options === null) throw new NotInForm(`The form cannot show the criteria of "${name}".`);
    return question(name, type, instructions, options);
  });
}

/**
 * The field of the form for a text or `null`, which is an empty field; null for anything else. An empty text is something
 * else: the model reads it in place of the name of the option.
 */
function textOf(node: JsonNode): string | null {
  if (node.kind === 'text') return node.value === '' ? null : node.value;
  return node.kind === 'literal' && node.source === 'null' ? '' : null;
}

function optionsOf(type: QuestionType, criteria: JsonNode): OptionDraft[] | null {
  const kind = OPTION_KINDS[type];
  if (kind === 'sides') return textOf(criteria) === '' ? optionsFor(type) : sidesOf(criteria);
  if (kind === 'labels' && criteria.kind === 'object') return describedOptions(criteria.entries);
  if (criteria.kind !== 'list') return null;
  if (kind === 'levels') return describedOptions(criteria.items.map((item) => ['', item] as const));
  const labels = criteria.items.flatMap((item) => (item.kind === 'text' ? [option(item.value)] : []));
  return labels.length === criteria.items.length ? labels : null;
}

/** Options from labels and descriptions; null if a description is no field of the form. */
function describedOptions(entries: ReadonlyArray<readonly [string, JsonNode]>): OptionDraft[] | null {
  const options = entries.flatMap(([label, node]) => {
    const description = textOf(node);
    return description === null ? [] : [option(label, description)];
  });
  return options.length === entries.length ? options : null;
}

const SIDES = [
  ['yes', 'no'],
  ['true', 'false'],
] as const;

function sidesOf(criteria: JsonNode): OptionDraft[] | null {
  if (criteria.kind !== 'object' || criteria.entries.length !== 2) return null;
  for (const names of SIDES) {
    const [yes, no] = names.map((name) => field(criteria, name));
    if (yes !== undefined && no !== undefined)
      return describedOptions([
        ['Yes', yes],
        ['No', no],
      ]);
  }
  return null;
}
