import { OPTION_KINDS, QUESTION_TYPES } from '../../api/index.js';
import { field, indented, type JsonNode, list, object, text } from '../json/json-node.js';
import type { BuiltRequest } from './request.js';

/** A request that OpenAI's client has no form for; the message says why. */
export class NotInOpenAi extends Error {
  override readonly name = 'NotInOpenAi';
}

/** Answered by the default model: the client always names one. */
const ANY = 'default';
const LOW_BUDGET = '70';

/**
 * A request as OpenAI's client sends it to `/v1/decisions`. Throws NotInOpenAi.
 *
 * @param imageUrl the expression of an image's `data:` URL in the program
 */
export function decisionsRequest(request: BuiltRequest, imageUrl: (at: number) => JsonNode): JsonNode {
  const { node } = request;
  const detail = field(node, 'image_budget');
  const images = request.images.map(({ name }, at) => {
    const low = detail?.kind === 'literal' && detail.source === LOW_BUDGET;
    return {
      name,
      part: object([
        ['type', text('input_image')],
        ['image_url', imageUrl(at)],
        ...(low ? [['detail', text('low')] as const] : []),
      ]),
    };
  });
  // The longer of two references wins.
  images.sort((a, b) => b.name.length - a.name.length);
  const questions = field(node, 'questions');
  if (questions?.kind !== 'object') throw new NotInOpenAi('Questions are an object of questions by name.');
  return object([
    ['model', field(node, 'model') ?? text(ANY)],
    ['input', inputOf(field(node, 'state') ?? text(''), images)],
    ['questions', list(questions.entries.map(([name, each]) => questionOf(name, each, images)))],
  ]);
}

interface Shown {
  readonly name: string;
  readonly part: JsonNode;
}

const message = (content: JsonNode): JsonNode =>
  list([
    object([
      ['role', text('user')],
      ['content', content],
    ]),
  ]);

function inputOf(state: JsonNode, images: readonly Shown[]): JsonNode {
  if (state.kind === 'text') {
    const content = contentOf(state.value, images);
    return content.kind === 'text' ? content : message(content);
  }
  const source = indented(state);
  const content = contentOf(source, images);
  if (content.kind === 'list') return message(content);
  return isData(state)
    ? message(
        list([
          object([
            ['type', text('input_json')],
            ['data', state],
          ]),
        ]),
      )
    : content;
}

/** What a JSON part can hold: an object, or a list of objects. */
const isData = (node: JsonNode): boolean =>
  node.kind === 'object' ||
  (node.kind === 'list' && node.items.length > 0 && node.items.every(({ kind }) => kind === 'object'));

/** A string, or parts where it names images. */
function contentOf(value: string, images: readonly Shown[]): JsonNode {
  if (images.length === 0) return text(value);
  const parts: JsonNode[] = [];
  let from = 0;
  for (let at = 0; at < value.length; ) {
    const shown = images.find(({ name }) => name !== '' && value.startsWith(name, at));
    if (shown === undefined) {
      at += 1;
      continue;
    }
    if (at > from) parts.push(textPart(value.slice(from, at)));
    parts.push(shown.part);
    at += shown.name.length;
    from = at;
  }
  if (parts.length === 0) return text(value);
  return list(from < value.length ? [...parts, textPart(value.slice(from))] : parts);
}

const textPart = (value: string): JsonNode =>
  object([
    ['type', text('input_text')],
    ['text', text(value)],
  ]);

const TYPES = { sides: 'predicate', labels: 'choice', levels: 'score' } as const;

function questionOf(name: string, question: JsonNode, images: readonly Shown[]): JsonNode {
  const type = QUESTION_TYPES.find((known) => textOf(field(question, 'type')) === known);
  if (type === undefined) throw new NotInOpenAi(`"${name}" has no type that the client knows.`);
  const kind = OPTION_KINDS[type];
  const criteria = field(question, 'criteria');
  const instructions = [
    ...lineOf('', field(question, 'instructions')),
    ...(kind === 'sides' ? sidesOf(criteria) : []),
  ].join('\n\n');
  return object([
    ['type', text(TYPES[kind])],
    ['name', text(name)],
    ...(instructions === '' ? [] : [['instructions', contentOf(instructions, images)] as const]),
    ...(kind === 'labels' ? [['choices', list(choicesOf(name, criteria, images))] as const] : []),
    ...(kind === 'levels' ? [['levels', list(levelsOf(name, criteria, images))] as const] : []),
  ]);
}

const textOf = (node: JsonNode | undefined): string | null => (node?.kind === 'text' ? node.value : null);

/** A paragraph of the instructions; none for null. */
function lineOf(label: string, node: JsonNode | undefined): string[] {
  if (node === undefined || (node.kind === 'literal' && node.source === 'null')) return [];
  return [`${label}${textOf(node) ?? indented(node)}`];
}

/** A predicate has no criteria: they are lines of its instructions. */
function sidesOf(criteria: JsonNode | undefined): string[] {
  if (criteria === undefined) return [];
  const [yes, no] = [
    field(criteria, 'yes') ?? field(criteria, 'true'),
    field(criteria, 'no') ?? field(criteria, 'false'),
  ];
  return [...lineOf('Criteria for true:\n', yes), ...lineOf('Criteria for false:\n', no)];
}

function choicesOf(name: string, criteria: JsonNode | undefined, images: readonly Shown[]): JsonNode[] {
  if (criteria?.kind === 'list') return criteria.items.map((label) => object([['value', label]]));
  if (criteria?.kind !== 'object') throw new NotInOpenAi(`"${name}" has no choices.`);
  return criteria.entries.map(([label, node]) => {
    const description = descriptionOf(name, node, images);
    return object([
      ['value', text(label)],
      ...(description === null ? [] : [['description', text(description)] as const]),
    ]);
  });
}

function levelsOf(name: string, criteria: JsonNode | undefined, images: readonly Shown[]): JsonNode[] {
  if (criteria?.kind !== 'list') throw new NotInOpenAi(`"${name}" has no levels.`);
  return criteria.items.map((level, at) => {
    const description = descriptionOf(name, level, images);
    return object([
      ['label', text(String(at))],
      ...(description === null ? [] : [['description', text(description)] as const]),
    ]);
  });
}

/** Null if there is none. Throws NotInOpenAi if it shows an image. */
function descriptionOf(name: string, node: JsonNode, images: readonly Shown[]): string | null {
  const [description] = lineOf('', node);
  if (description === undefined) return null;
  if (contentOf(description, images).kind === 'text') return description;
  throw new NotInOpenAi(`"${name}" shows an image in a description, which the client does not have.`);
}
