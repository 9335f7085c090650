import { CaseError } from './case.js';

/** The public benchmarks whose JSON Lines files can be read as cases. */
export const BENCHMARKS = ['boolq', 'arc', 'mmlu', 'hellaswag'] as const;
export type BenchmarkName = (typeof BENCHMARKS)[number];

type Row = Readonly<Record<string, unknown>>;

/** What a benchmark's row means, before it is checked as a case. */
interface Draft {
  readonly id: string;
  readonly group: string | null;
  readonly request: object;
  readonly expected: Readonly<Record<string, unknown>>;
}

const READERS: Readonly<Record<BenchmarkName, (row: Row, line: number) => Draft>> = {
  boolq,
  arc,
  mmlu,
  hellaswag,
};

/** A row of a benchmark as the JSON of a case. Throws CaseError. */
export function fromBenchmark(name: BenchmarkName, bytes: Buffer, line: number): Buffer {
  let row: unknown;
  try {
    row = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new CaseError('not valid JSON');
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new CaseError('not a JSON object');
  return Buffer.from(JSON.stringify(READERS[name](row as Row, line)));
}

/** BoolQ (Clark et al. 2019): `question`, `passage`, `answer`, sometimes `title`. */
function boolq(row: Row, line: number): Draft {
  const { answer } = row;
  if (typeof answer !== 'boolean') throw new CaseError('`answer` must be true or false');
  return {
    id: `boolq-${line}`,
    // Questions about one article share facts.
    group: typeof row.title === 'string' && row.title !== '' ? row.title : null,
    request: {
      state: text(row, 'passage'),
      questions: { answer: { type: 'noul', instructions: text(row, 'question') } },
    },
    expected: { answer },
  };
}

/**
 * AI2 ARC (Clark et al. 2018), in the authors' form, where `question` holds `stem` and a list of `choices`, and in the
 * form of the dataset library, where `choices` holds two lists.
 */
function arc(row: Row, line: number): Draft {
  const nested = typeof row.question === 'object' && row.question !== null ? (row.question as Row) : null;
  const stem = text(nested ?? row, nested === null ? 'question' : 'stem');
  const [labels, texts] = arcChoices((nested ?? row).choices);
  return {
    id: typeof row.id === 'string' ? row.id : `arc-${line}`,
    group: null,
    request: multipleChoice(stem, 'Which answer is correct?', labels, texts),
    expected: { answer: text(row, 'answerKey') },
  };
}

function arcChoices(choices: unknown): [labels: string[], texts: string[]] {
  if (Array.isArray(choices)) {
    return [choices.map((choice) => text(choice, 'label')), choices.map((choice) => text(choice, 'text'))];
  }
  const { label, text: texts } = Object(choices) as Row;
  return [strings(label, 'choices.label'), strings(texts, 'choices.text')];
}

/** MMLU (Hendrycks et al. 2021) in the form of the dataset library: `answer` is an index or a letter. */
function mmlu(row: Row, line: number): Draft {
  const texts = strings(row.choices, 'choices');
  const labels = texts.map((_, index) => LETTERS[index] ?? '');
  const { answer } = row;
  return {
    id: `mmlu-${line}`,
    group: typeof row.subject === 'string' && row.subject !== '' ? row.subject : null,
    request: multipleChoice(text(row, 'question'), 'Which answer is correct?', labels, texts),
    expected: { answer: typeof answer === 'number' ? (labels[answer] ?? String(answer)) : answer },
  };
}

/** HellaSwag (Zellers et al. 2019): `ctx`, `endings`, `label`, which the test set leaves empty. */
function hellaswag(row: Row, line: number): Draft {
  const texts = strings(row.endings, 'endings');
  const labels = texts.map((_, index) => LETTERS[index] ?? '');
  const { label } = row;
  if ((label ?? '') === '' || (typeof label === 'string' && label.trim() === ''))
    throw new CaseError('`label` is empty; use the validation set');
  return {
    id: `hellaswag-${row.ind ?? line}`,
    group: typeof row.source_id === 'string' && row.source_id !== '' ? row.source_id : null,
    request: multipleChoice(text(row, 'ctx'), 'Which text continues it best?', labels, texts),
    expected: { answer: letterAt(label, labels) },
  };
}

/** The letter of a `label`, which is a whole number or a string of digits. */
function letterAt(label: unknown, letters: readonly string[]): string {
  const isIndex = Number.isInteger(label) || (typeof label === 'string' && /^[0-9]+$/.test(label));
  const letter = isIndex ? letters[Number(label)] : undefined;
  if (letter === undefined) throw new CaseError('`label` must be the number of one of the endings, from 0');
  return letter;
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

function multipleChoice(
  state: string,
  instructions: string,
  labels: readonly string[],
  texts: readonly string[],
): object {
  if (labels.length !== texts.length) throw new CaseError('`choices` must have one label per text');
  const criteria = Object.fromEntries(labels.map((label, index) => [label, texts[index]]));
  return { state, questions: { answer: { type: 'choice', instructions, criteria } } };
}

function text(row: unknown, field: string): string {
  const value = (Object(row) as Row)[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new CaseError(`\`${field}\` must be a string that is not empty`);
}

function strings(value: unknown, field: string): string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value;
  throw new CaseError(`\`${field}\` must be a list of strings`);
}
