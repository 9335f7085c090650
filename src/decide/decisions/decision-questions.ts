import { LIMITS, type QuestionType } from '../../api/index.js';
import type { JsonNode, Option, Question, QuestionUses } from '../decide-types.js';
import { field } from '../request/json-fields.js';
import { truncateCodePoints } from '../request/strings.js';
import { readParts } from './parts.js';
import { type ObjectNode, objectAt, refusedAt, stringAt } from './place.js';
import type { SentImages } from './sent-images.js';
import { joinParts } from './transcript.js';

/** A question, and the images in its instructions. */
export interface ReadQuestion {
  readonly question: Question;
  readonly uses: QuestionUses;
}

/** The types of questions here, and those that the model is asked. */
const TYPES = { predicate: 'noul', choice: 'choice', score: 'score' } as const satisfies Readonly<
  Record<string, QuestionType>
>;

/** What a template that shows names shows of a question without one. */
const UNNAMED = 'question';
const ERROR = 'invalid_question';

/**
 * Reads `questions`.
 *
 * @param node undefined: it is missing or null
 * @param most of the code points of instructions, only these are needed
 * @throws ApiError with the place of the first invalid value: `invalid_questions`, `too_many_questions`, `invalid_type`,
 *   `invalid_question`, `too_many_options`, or an error of an image
 */
export function readDecisionQuestions(
  node: JsonNode | undefined,
  images: SentImages,
  most: number,
): ReadQuestion[] {
  if (node?.kind !== 'array' || node.items.length === 0) {
    throw refusedAt('questions', 'must be a list of at least 1 question', 'invalid_questions');
  }
  const { decisionQuestions } = LIMITS;
  if (node.items.length > decisionQuestions) {
    const found = `has ${node.items.length} questions; the limit is ${decisionQuestions}`;
    throw refusedAt('questions', found, 'too_many_questions');
  }
  return node.items.map((item, index) => readQuestion(item, `questions[${index}]`, images, most));
}

function readQuestion(node: JsonNode, place: string, images: SentImages, most: number): ReadQuestion {
  const sent = objectAt(node, place, ERROR);
  const type = readType(field(sent, 'type'), place);
  const name = readName(field(sent, 'name'), place);
  const instructions = readInstructions(field(sent, 'instructions'), place, images, most);
  const { options, values } = READERS[type](sent, place);
  return {
    question: {
      name: name ?? UNNAMED,
      type: TYPES[type],
      instructions: instructions?.text ?? null,
      options,
      repeats: { name, values },
    },
    uses: { instructions: instructions?.uses ?? [], descriptions: options.map(() => []) },
  };
}

function readType(node: JsonNode | undefined, place: string): keyof typeof TYPES {
  const known = Object.keys(TYPES) as Array<keyof typeof TYPES>;
  const type = known.find((each) => node?.kind === 'text' && node.value === each);
  if (type !== undefined) return type;
  throw refusedAt(`${place}.type`, 'must be `predicate`, `choice` or `score`', 'invalid_type');
}

function readName(node: JsonNode | undefined, place: string): string | null {
  if (node === undefined) return null;
  const name = stringAt(node, `${place}.name`, ERROR);
  const most = LIMITS.questionNameCodePoints;
  if (truncateCodePoints(name, most) === name) return name;
  throw refusedAt(`${place}.name`, `is longer than the limit of ${most} characters`, 'invalid_questions');
}

/** Null: none; an empty list is none. */
function readInstructions(node: JsonNode | undefined, place: string, images: SentImages, most: number) {
  if (node === undefined) return null;
  const types = ['input_text', 'input_image', 'input_json'] as const;
  const parts = readParts(node, `${place}.instructions`, types, images, ERROR);
  return parts.length === 0 ? null : joinParts(parts, most);
}

/** The options of a question, and the value of each in the response: that of a choice, or the label of a level. */
interface Options {
  readonly options: readonly Option[];
  readonly values: ReadonlyArray<string | boolean>;
}

const READERS: Readonly<Record<keyof typeof TYPES, (sent: ObjectNode, place: string) => Options>> = {
  predicate: () => ({
    options: [
      { key: 'true', name: 'Yes', description: null },
      { key: 'false', name: 'No', description: null },
    ],
    values: [],
  }),
  choice: readChoices,
  score: readLevels,
};

/** The model sees the value, a boolean as `true` or `false`, and the description. */
function readChoices(sent: ObjectNode, place: string): Options {
  const at = `${place}.choices`;
  const { decisionChoicesMin: least, decisionChoices: most } = LIMITS;
  const choices = readList(field(sent, 'choices'), at, { what: 'choices', least, most });
  const seen = new Set<string | boolean>();
  const values = choices.map(({ entry, place: each }) => {
    const value = readValue(field(entry, 'value'), `${each}.value`);
    if (seen.has(value)) throw refusedAt(`${each}.value`, 'is that of an earlier choice', ERROR);
    seen.add(value);
    return value;
  });
  const options = choices.map(({ entry, place: each }, index): Option => {
    const name = String(values[index]);
    return { key: name, name, description: readDescription(entry, each) };
  });
  return { options, values };
}

function readValue(node: JsonNode | undefined, place: string): string | boolean {
  if (node?.kind === 'text' && node.value !== '') return node.value;
  if (node?.kind === 'literal' && node.source === 'true') return true;
  if (node?.kind === 'literal' && node.source === 'false') return false;
  throw refusedAt(place, 'must be a boolean or a string that is not empty', ERROR);
}

/**
 * The model sees the label and the description. A label that is only the number of its level, as clients without labels
 * send it, is left out.
 */
function readLevels(sent: ObjectNode, place: string): Options {
  const at = `${place}.levels`;
  const { scoreLevelsMin: least, decisionLevels: most } = LIMITS;
  const levels = readList(field(sent, 'levels'), at, { what: 'levels', least, most });
  const values = levels.map(({ entry, place: each }) => {
    const label = stringAt(field(entry, 'label'), `${each}.label`, ERROR);
    if (label === '') throw refusedAt(`${each}.label`, 'must not be empty', ERROR);
    return label;
  });
  const options = levels.map(({ entry, place: each }, level): Option => {
    const label = values[level] as string;
    const own = readDescription(entry, each);
    const labelled = own === null ? label : `${label}: ${own}`;
    const description = label === String(level) ? own : labelled;
    return { key: String(level), name: `Level ${level}`, description };
  });
  return { options, values };
}

function readList(
  node: JsonNode | undefined,
  at: string,
  { what, least, most }: { readonly what: string; readonly least: number; readonly most: number },
): Array<{ readonly entry: ObjectNode; readonly place: string }> {
  if (node?.kind !== 'array' || node.items.length < least) {
    throw refusedAt(at, `must be a list of at least ${least} ${what}`, ERROR);
  }
  if (node.items.length > most) {
    throw refusedAt(at, `has ${node.items.length} ${what}; the limit is ${most}`, 'too_many_options');
  }
  return node.items.map((item, index) => {
    const place = `${at}[${index}]`;
    return { entry: objectAt(item, place, ERROR), place };
  });
}

function readDescription(entry: ObjectNode, place: string): string | null {
  const node = field(entry, 'description');
  return node === undefined ? null : stringAt(node, `${place}.description`, ERROR);
}

/** Throws ApiError `too_many_options` for a question with more options than the model has labels. */
export function requireLabels(questions: readonly Question[], build: string, labels: number): void {
  questions.forEach(({ type, options: { length } }, index) => {
    if (length <= labels) return;
    const place = `questions[${index}].${type === 'score' ? 'levels' : 'choices'}`;
    throw refusedAt(
      place,
      `has ${length} options; the model ${build} can answer at most ${labels} options per question`,
      'too_many_options',
    );
  });
}
