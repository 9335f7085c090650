import { DEFAULT_IMAGE_BUDGET, OPTION_KINDS, type QuestionType } from '../../api/index.js';
import { field, indented, type JsonNode, number, object, text } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import type { Draft, ImageDraft } from './ask-draft.js';
import { questionsNode } from './ask-questions.js';

/** A question as its answer is shown: in the order sent, with the options in theirs. */
export interface AskedQuestion {
  readonly name: string;
  readonly type: QuestionType | null;
  readonly instructions: string;
  /** The keys of the options in `probabilities`; empty for a noul. */
  readonly options: readonly string[];
}

/** A request that is ready to be sent or shown. */
export interface BuiltRequest {
  /** Of the call, such as `v1/decide`. */
  readonly path: string;
  readonly node: JsonNode;
  readonly images: readonly ImageDraft[];
  readonly questions: readonly AskedQuestion[];
}

/** A draft is not a request yet; the message says what to correct. */
export class NotReady extends Error {
  override readonly name = 'NotReady';

  constructor(
    message: string,
    /** What is to be corrected: the state, the JSON of the questions, or the question of this number, from 0. */
    readonly field: 'state' | 'questions' | number,
  ) {
    super(message);
  }
}

/** The name of an image's file part. */
export const partOf = (at: number): string => `image-${at + 1}`;

/** The request of a draft, with images as file parts. The server checks the rest. Throws NotReady. */
export function buildRequest(draft: Draft): BuiltRequest {
  const { model, images } = draft;
  const questions = questionsOfDraft(draft);
  const node = object([
    ...(model === '' ? [] : [['model', text(model)] as const]),
    ['state', stateOf(draft)],
    ['questions', questions],
    ...imageFields(draft),
  ]);
  return { path: 'v1/decide', node, images, questions: askedOf(questions) };
}

/** The request of a draft to a task, which has the questions and the model. Throws NotReady. */
export function buildTaskRequest(path: string, draft: Draft): BuiltRequest {
  const node = object([['state', stateOf(draft)], ...imageFields(draft)]);
  return { path, node, images: draft.images, questions: askedOf(questionsOfDraft(draft)) };
}

function imageFields({ images, imageBudget }: Draft): Array<readonly [string, JsonNode]> {
  if (images.length === 0) return [];
  const assets = ['assets', assetsOf(images)] as const;
  if (imageBudget === DEFAULT_IMAGE_BUDGET) return [assets];
  return [assets, ['image_budget', number(imageBudget)]];
}

function stateOf({ stateKind, state }: Draft): JsonNode {
  if (stateKind === 'text') return text(state);
  try {
    return readJson(state);
  } catch (error) {
    throw new NotReady(`The state is not valid JSON: ${(error as Error).message}`, 'state');
  }
}

/** The questions of either editor. Throws NotReady. */
export function questionsOfDraft({ questionsKind, questions, questionsJson }: Draft): JsonNode {
  if (questionsKind === 'form') {
    const twice = questions.findIndex(
      ({ name }, at) => questions.findIndex((each) => each.name === name) < at,
    );
    if (twice >= 0) throw new NotReady(`Two questions are called "${questions[twice]?.name}".`, twice);
    return questionsNode(questions);
  }
  try {
    return readJson(questionsJson);
  } catch (error) {
    throw new NotReady(`The questions are not valid JSON: ${(error as Error).message}`, 'questions');
  }
}

const assetsOf = (images: readonly ImageDraft[]): JsonNode =>
  object(
    images.map(({ name, format }, at) => [
      name,
      object([
        ['format', text(format)],
        ['part', text(partOf(at))],
      ]),
    ]),
  );

/** Questions as their answers are shown. */
export function askedOf(questions: JsonNode): AskedQuestion[] {
  if (questions.kind !== 'object') return [];
  return questions.entries.map(([name, each]) => {
    const type = field(each, 'type');
    const instructions = field(each, 'instructions');
    return {
      name,
      type: type?.kind === 'text' ? (type.value as QuestionType) : null,
      instructions: instructions?.kind === 'text' ? instructions.value : '',
      options: optionKeys(type, field(each, 'criteria')),
    };
  });
}

function optionKeys(type: JsonNode | undefined, criteria: JsonNode | undefined): string[] {
  if (type?.kind !== 'text' || criteria === undefined) return [];
  const kind = OPTION_KINDS[type.value as QuestionType];
  if (kind === 'levels') return criteria.kind === 'list' ? criteria.items.map((_, at) => String(at)) : [];
  if (kind !== 'labels') return [];
  if (criteria.kind === 'object') return criteria.entries.map(([label]) => label);
  if (criteria.kind !== 'list') return [];
  return criteria.items.flatMap((item) => (item.kind === 'text' ? [item.value] : []));
}

/** The body of a request and the headers that belong to it. */
export function bodyOf({ node, images }: BuiltRequest): {
  body: string | FormData;
  headers: Record<string, string>;
} {
  const json = indented(node);
  if (images.length === 0) return { body: json, headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  form.append('request', json);
  for (const [at, { file }] of images.entries()) form.append(partOf(at), file);
  // The browser sets the media type, with the boundary.
  return { body: form, headers: {} };
}

/** How often a request names an image, as far as its texts show. */
export function usesOf(name: string, draft: Draft): number {
  if (name === '') return 0;
  const quoted = JSON.stringify(name).slice(1, -1);
  const { stateKind, state, questionsKind, questions, questionsJson } = draft;
  const inState = occurrences(state, stateKind === 'json' ? quoted : name);
  if (questionsKind === 'json') return inState + occurrences(questionsJson, quoted);
  const texts = questions.flatMap(({ instructions, options }) => [
    instructions,
    ...options.map(({ description }) => description),
  ]);
  return texts.reduce((sum, each) => sum + occurrences(each, name), inState);
}

const occurrences = (haystack: string, needle: string): number => haystack.split(needle).length - 1;
