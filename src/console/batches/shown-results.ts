import { type Answer, type ByName, own } from '../api/api-types.js';
import { field, NULL } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { linesOf } from './check-file.js';

/** What one question of a line was answered. */
interface LineAnswer {
  /** `yes`, `no`, a label, or the number of a level with its name. */
  readonly value: string;
  /** 0 to 1: how far the answer is from undecided. */
  readonly confidence: number;
  /** The place of the value in its scale; null if there is no scale. */
  readonly level: number | null;
}

/** A line of the results, reduced to what the table shows. */
export interface ResultRow {
  readonly id: string;
  readonly answers: ReadonlyMap<string, LineAnswer>;
  /** Null if the line was answered. */
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** The results of a batch. */
export interface Results {
  readonly rows: readonly ResultRow[];
  /** The names of all questions, in the order of first use. */
  readonly questions: readonly string[];
  /** Input tokens of the answered lines by build. */
  readonly tokens: ReadonlyMap<string, number>;
}

interface ResultLine {
  readonly custom_id: string;
  readonly model: string;
  readonly response?: { readonly answers: ByName<Answer> };
  readonly error?: { readonly error: string; readonly type: string };
  readonly usage: { readonly input_tokens: number };
}

/** Reads result lines (contract 2.7). Rejects if a line is not JSON. */
export async function readResults(file: Blob): Promise<Results> {
  const rows: ResultRow[] = [];
  const questions = new Set<string>();
  const tokens = new Map<string, number>();
  for await (const text of linesOf(file)) {
    const line = JSON.parse(text) as ResultLine;
    const answers = new Map<string, LineAnswer>();
    const answered = line.response?.answers ?? {};
    for (const [name, answer] of Object.entries(answered)) answers.set(name, reduced(answer));
    for (const name of namesOf(answered, questions, text)) questions.add(name);
    const { error } = line;
    rows.push({
      id: line.custom_id,
      answers,
      error: error ? { type: error.type, message: error.error } : null,
    });
    tokens.set(line.model, (tokens.get(line.model) ?? 0) + line.usage.input_tokens);
  }
  return { rows, questions: [...questions], tokens };
}

/** Names that an object has in the order of their numbers, whatever that of the JSON was. */
const WHOLE_NUMBER = /^\d{1,10}$/;

/** The names of the answers of a line in the order sent; in any order if `known` has all of those that have lost theirs. */
function namesOf(answers: ByName<Answer>, known: ReadonlySet<string>, line: string): string[] {
  const names = Object.keys(answers);
  if (names.length < 2 || !names.some((name) => WHOLE_NUMBER.test(name) && !known.has(name))) return names;
  const node = field(field(readJson(line), 'response') ?? NULL, 'answers');
  return node?.kind === 'object' ? node.entries.map(([name]) => name) : names;
}

/** More than probabilities have. */
const DIGITS = 12;

function reduced(answer: Answer): LineAnswer {
  if (answer.type === 'noul') {
    const value = answer.noul >= 0.5 ? 'yes' : 'no';
    // Without the digits of binary fractions, such as 0.6000000000000001 for 0.8.
    const confidence = Number(Math.abs(2 * answer.noul - 1).toFixed(DIGITS));
    return { value, confidence, level: null };
  }
  const { confidence } = answer;
  if (answer.type === 'choice') return { value: answer.choice, confidence, level: null };
  const name = own(answer.legend, String(answer.level));
  return {
    value: name ? `${answer.level} · ${name}` : String(answer.level),
    confidence,
    level: answer.level,
  };
}

/** How often each value was the answer to a question: levels in the order of their scale, others most frequent first. */
export function distributionOf(
  rows: readonly ResultRow[],
  question: string,
): Array<readonly [value: string, count: number]> {
  const counts = new Map<string, number>();
  const levels = new Map<string, number>();
  for (const { answers } of rows) {
    const answer = answers.get(question);
    if (answer === undefined) continue;
    counts.set(answer.value, (counts.get(answer.value) ?? 0) + 1);
    if (answer.level !== null) levels.set(answer.value, answer.level);
  }
  const place = (value: string) => levels.get(value) ?? Number.POSITIVE_INFINITY;
  return [...counts].sort(([one, more], [other, less]) => {
    const [before, after] = [place(one), place(other)];
    if (before !== after) return before - after;
    return less - more || (one < other ? -1 : 1);
  });
}

/** Values of a distribution that are shown; the labels of a choice may be others in every line. */
const VALUES_MAX = 100;

/** The first values of a distribution, and how many others there are in how many lines. */
export function firstOf(distribution: ReturnType<typeof distributionOf>) {
  const others = distribution.slice(VALUES_MAX);
  return {
    first: distribution.slice(0, VALUES_MAX),
    others: others.length,
    lines: others.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** The rows that a table shows. */
export interface Selection {
  readonly question: string;
  /** An answer to the question, `ERRORS` or null for all rows. */
  readonly value: string | null;
  readonly order: 'file' | 'least sure' | 'most sure';
}

/** The filter for lines without an answer; no label, as labels are not empty. */
export const ERRORS = '';

export function selectRows(rows: readonly ResultRow[], { question, value, order }: Selection): ResultRow[] {
  const kept = rows.filter(({ answers, error }) => {
    if (value === null) return true;
    return value === ERRORS ? error !== null : answers.get(question)?.value === value;
  });
  if (order === 'file') return kept;
  const sign = order === 'least sure' ? 1 : -1;
  // Lines without an answer come last.
  const rank = ({ answers }: ResultRow) => {
    const answer = answers.get(question);
    return answer === undefined ? Number.POSITIVE_INFINITY : sign * answer.confidence;
  };
  return kept.sort((one, other) => rank(one) - rank(other) || 0);
}
