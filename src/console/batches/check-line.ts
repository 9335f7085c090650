import {
  IMAGE_BUDGETS,
  LIMITS,
  type LineErrorType,
  OPTION_KINDS,
  type QuestionType,
} from '../../api/index.js';
import { isObject, type Problem, problemOfQuestions } from './check-question.js';

/** What the lines of a file have told so far. */
export interface Known {
  /** The ids of the lines before. */
  readonly ids: Set<string>;
  /** Lines by the model that they name. */
  readonly counts: Map<string, number>;
  /** Lines that name a task. */
  taskLines: number;
  /** Estimated input tokens by the model that the lines name. */
  readonly tokens: Map<string, number>;
}

/** Bytes of a line per token, in an estimate (contract 2.6 `estimated_cost`). */
const BYTES_PER_TOKEN = 4;

const ID = new RegExp(`^[A-Za-z0-9_.:-]{1,${LIMITS.customIdCharacters}}$`);

const BYTE_ORDER_MARK = '\ufeff';
const MARK_ADVICE = 'The file begins with a byte order mark. Save it as UTF-8 without one.';

const problem = (type: LineErrorType, message: string): Problem => ({ type, message });

/**
 * The first problem of a line of a batch file; null if the console finds none. The server checks the same and more: images,
 * repeated names, the length of the texts, and whether the key may use the model.
 */
export function problemOfLine(text: string, known: Known): Problem | null {
  if (text.startsWith(BYTE_ORDER_MARK)) return problem('invalid_json', MARK_ADVICE);
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    return problem('invalid_json', `The line is not valid JSON: ${(error as Error).message}`);
  }
  if (!isObject(line)) return problem('invalid_line', 'The line is not a JSON object.');
  if (isOpenAiLine(line)) return problem('invalid_line', OPENAI_ADVICE);
  const { custom_id: id, task, model, state, questions, image_budget: budget } = line;
  const named = task !== undefined && task !== null;
  const found =
    problemOfId(id, known) ??
    (named ? problemOfTask(line) : problemOfModel(model, known)) ??
    (state === undefined || state === null ? problem('missing', 'The line has no `state`.') : null) ??
    (named ? null : problemOfQuestions(questions)) ??
    (budget === undefined || IMAGE_BUDGETS.some((each) => each === budget)
      ? null
      : problem('invalid_image_budget', `\`image_budget\` must be ${IMAGE_BUDGETS.join(', ')}.`)) ??
    problemOfDiagnostics(line);
  if (found === null && named) known.taskLines += 1;
  if (found === null && typeof model === 'string') {
    const tokens = tokensOf(text, line.assets) + furtherTokens(questions, line.option_rotations);
    known.tokens.set(model, (known.tokens.get(model) ?? 0) + tokens);
  }
  return found;
}

/** `raw_probabilities`, `label_mass` and `option_rotations`; `null` counts as absent. */
function problemOfDiagnostics(line: Readonly<Record<string, unknown>>): Problem | null {
  for (const name of ['raw_probabilities', 'label_mass']) {
    if (typeof (line[name] ?? false) !== 'boolean') {
      return problem('invalid_line', `\`${name}\` must be true or false.`);
    }
  }
  const rotations = line.option_rotations ?? 1;
  if (Number.isInteger(rotations) && Number(rotations) >= 1 && Number(rotations) <= LIMITS.optionRotations) {
    return null;
  }
  return problem(
    'invalid_line',
    `\`option_rotations\` must be an integer from 1 to ${LIMITS.optionRotations}.`,
  );
}

/** Tokens of an image, in an estimate. */
const IMAGE_TOKENS = 280;

/** The estimated tokens of a line: the data of its images does not count as text. An image counts once. */
function tokensOf(line: string, assets: unknown): number {
  const images = isObject(assets) ? Object.values(assets) : [];
  const data = images.map((each) => (isObject(each) ? String(each.data_base64 ?? '') : ''));
  const bytes = data.reduce((sum, each) => sum - each.length, bytesOf(line));
  return Math.ceil(bytes / BYTES_PER_TOKEN) + images.length * IMAGE_TOKENS;
}

/** The estimated tokens of choices that are asked in several orders of their options. */
function furtherTokens(questions: unknown, rotations: unknown): number {
  if (typeof rotations !== 'number' || !isObject(questions)) return 0;
  return Object.values(questions).reduce<number>((sum, question) => {
    const { type, criteria } = Object(question) as Readonly<Record<string, unknown>>;
    if (OPTION_KINDS[type as QuestionType] !== 'labels') return sum;
    const orders = Math.min(rotations, Object.keys(Object(criteria)).length);
    return sum + (orders - 1) * Math.ceil(bytesOf(JSON.stringify(question)) / BYTES_PER_TOKEN);
  }, 0);
}

const ENCODER = new TextEncoder();

const bytesOf = (text: string): number => ENCODER.encode(text).length;

/** OpenAI's batches have a request of another interface in each line. */
const isOpenAiLine = ({ method, url, body }: Readonly<Record<string, unknown>>): boolean =>
  typeof method === 'string' && typeof url === 'string' && isObject(body);

const OPENAI_ADVICE =
  'This is a line of an OpenAI batch. Here a line has the decision itself: put `custom_id`, `model`, `state` and `questions` at the top, instead of `method`, `url` and `body`.';

function problemOfId(id: unknown, { ids }: Known): Problem | null {
  if (typeof id !== 'string' || !ID.test(id)) {
    return problem(
      'invalid_custom_id',
      `\`custom_id\` must be 1 to ${LIMITS.customIdCharacters} letters, digits, _ . : or -.`,
    );
  }
  if (ids.has(id)) return problem('duplicate_custom_id', `Another line has the \`custom_id\` "${id}".`);
  ids.add(id);
  return null;
}

/** Of a line that names a task, which the server knows. */
function problemOfTask({ task, ...line }: Readonly<Record<string, unknown>>): Problem | null {
  if (typeof task !== 'string') return problem('invalid_line', '`task` must be a string.');
  for (const name of ['questions', 'model']) {
    if ((line[name] ?? null) !== null)
      return problem('invalid_line', `\`${name}\`: the task has its own; leave it out.`);
  }
  if (ID.test(task)) return null;
  return problem('task_not_found', 'The line names a task that the workspace does not have.');
}

function problemOfModel(model: unknown, { counts }: Known): Problem | null {
  if (model === undefined || model === null) {
    return problem('model_required', 'The line has no `model`, and a batch has no default model.');
  }
  if (typeof model !== 'string') return problem('invalid_line', '`model` must be a string.');
  counts.set(model, (counts.get(model) ?? 0) + 1);
  return null;
}
