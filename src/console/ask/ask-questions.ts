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
    const type = QUESTION_TYPES.find((known) => textOf(field(each, 'type')) === known);
    if (type === undefined)
      throw new NotInForm(`"${name}" has no type that the form knows: ${questionTypes()}.`);
    const instructions = textOf(field(each, 'instructions') ?? text(''));
    if (instructions === null) throw new NotInForm(`The instructions of "${name}" are not a string.`);
    const options = optionsOf(type, field(each, 'criteria'));
    if (options === null) throw new NotInForm(`The form cannot show the criteria of "${name}".`);
    return question(name, type, instructions, options);
  });
}

/** A string, '' for null, and null for anything else. */
function textOf(node: JsonNode | undefined): string | null {
  if (node?.kind === 'text') return node.value;
  return node?.kind === 'literal' && node.source === 'null' ? '' : null;
}

function optionsOf(type: QuestionType, criteria: JsonNode | undefined): OptionDraft[] | null {
  const kind = OPTION_KINDS[type];
  if (criteria === undefined || textOf(criteria) === '') return kind === 'sides' ? optionsFor(type) : null;
  if (kind === 'sides') return sidesOf(criteria);
  if (criteria.kind === 'list') {
    const options = criteria.items.map((item) => {
      const value = textOf(item);
      if (value === null) return null;
      return kind === 'labels' ? option(value) : option('', value);
    });
    return options.includes(null) ? null : (options as OptionDraft[]);
  }
  if (criteria.kind !== 'object' || kind === 'levels') return null;
  const options = criteria.entries.map(([label, item]) => {
    const value = textOf(item);
    return value === null ? null : option(label, value);
  });
  return options.includes(null) ? null : (options as OptionDraft[]);
}

function sidesOf(criteria: JsonNode): OptionDraft[] | null {
  const yes = textOf(field(criteria, 'yes') ?? field(criteria, 'true') ?? undefined);
  const no = textOf(field(criteria, 'no') ?? field(criteria, 'false') ?? undefined);
  return yes === null || no === null ? null : [option('Yes', yes), option('No', no)];
}
