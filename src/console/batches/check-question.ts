import {
  LIMITS,
  type LineErrorType,
  OPTION_KINDS,
  type OptionKind,
  QUESTION_TYPES,
  questionTypes,
} from '../../api/index.js';

/** Why a line would be refused. */
export interface Problem {
  readonly type: LineErrorType;
  readonly message: string;
}

const problem = (type: LineErrorType, message: string): Problem => ({ type, message });

type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDescription = (value: unknown): boolean => value === null || typeof value === 'string';

/** A name as messages show it. */
const quoted = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 63)}…` : name);

/** The first problem of the questions of a line (contract 2.1 `questions`); null if the console finds none. */
export function problemOfQuestions(questions: unknown): Problem | null {
  if (questions === undefined || questions === null)
    return problem('invalid_questions', '`questions` is missing.');
  if (!isObject(questions)) return problem('invalid_line', '`questions` must be an object.');
  const entries = Object.entries(questions);
  if (entries.length === 0) return problem('invalid_questions', '`questions` is empty.');
  if (entries.length > LIMITS.questions) {
    return problem(
      'too_many_questions',
      `There are ${entries.length} questions; the limit is ${LIMITS.questions}.`,
    );
  }
  for (const [name, question] of entries) {
    const found = problemOfQuestion(name, question);
    if (found !== null) return found;
  }
  return null;
}

function problemOfQuestion(name: string, question: unknown): Problem | null {
  const subject = `Question ${quoted(name)}`;
  if ([...name].length > LIMITS.questionNameCodePoints) {
    return problem(
      'invalid_questions',
      `The name of a question is longer than ${LIMITS.questionNameCodePoints} characters.`,
    );
  }
  if (!isObject(question)) return problem('invalid_question', `${subject} must be an object.`);
  const { type, instructions, criteria } = question;
  const known = QUESTION_TYPES.find((each) => each === type);
  if (known === undefined) return problem('invalid_type', `${subject}: \`type\` must be ${questionTypes()}.`);
  if (instructions !== undefined && !isDescription(instructions)) {
    return problem('invalid_question', `${subject}: \`instructions\` must be a string or null.`);
  }
  const wrong = CRITERIA[OPTION_KINDS[known]](criteria ?? null);
  if (wrong !== null) return problem('invalid_question', `${subject}: \`criteria\` ${wrong}.`);
  const count = isObject(criteria) || Array.isArray(criteria) ? Object.keys(criteria).length : 0;
  if (count <= LIMITS.optionsPerQuestion) return null;
  return problem(
    'too_many_options',
    `${subject} has ${count} options; the limit is ${LIMITS.optionsPerQuestion}.`,
  );
}

/** What is wrong with the criteria of a kind, as the end of a sentence; null if nothing is. */
const CRITERIA: Record<OptionKind, (criteria: unknown) => string | null> = {
  sides: (criteria) => {
    if (criteria === null) return null;
    const names = isObject(criteria) ? Object.keys(criteria).sort().join() : '';
    if (names !== 'false,true' && names !== 'no,yes') {
      return 'must be an object with exactly `true` and `false`, or exactly `yes` and `no`';
    }
    return describesAll(criteria as Fields);
  },
  labels: (criteria) => {
    if (isObject(criteria)) {
      const labels = Object.keys(criteria);
      if (labels.length === 0) return 'has no options';
      return labels.includes('') ? 'holds an empty label' : describesAll(criteria);
    }
    if (!Array.isArray(criteria)) return 'must be an object of label to description, or a list of labels';
    if (criteria.length === 0) return 'has no options';
    if (criteria.some((label) => typeof label !== 'string' || label === ''))
      return 'holds a label that is no text';
    return new Set(criteria).size === criteria.length ? null : 'holds a label twice';
  },
  levels: (criteria) => {
    if (!Array.isArray(criteria)) return 'must be a list of level descriptions';
    if (criteria.length < LIMITS.scoreLevelsMin) return `has fewer than ${LIMITS.scoreLevelsMin} levels`;
    return describesAll(criteria as unknown as Fields);
  },
};

const describesAll = (criteria: Fields): string | null =>
  Object.values(criteria).every(isDescription)
    ? null
    : 'holds a description that is neither a string nor null';
