import { ERRORS, type ErrorType, LINE_ERRORS, openAiStatus } from '../../src/api/index.js';
import type { Answer } from './answers.js';

/** What uWebSockets.js answers by itself, with a page of its own, to what is no request. */
const LIBRARY_STATUSES = [400, 431, 505];

/** An answer in a word: its status, and the type where it is an error. */
export function summary({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${typeOf(body) ?? ''}`.trim();
}

function typeOf(body: Buffer): string | undefined {
  const value = parsed(body);
  const type = openAiError(value)?.code ?? value?.type;
  return typeof type === 'string' ? type : undefined;
}

/** The error of a body in OpenAI's form; undefined: it has another one. */
function openAiError(value: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const error = value?.error;
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : undefined;
}

function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with an answer, whatever was asked; null: nothing.
 *
 * @param head whether it is one to HEAD, which has no body
 */
export function judge(answer: Answer, head: boolean): string | null {
  const { status, headers, body } = answer;
  if (status >= 500 && status !== 503) return `the answer ${status}`;
  if (!/^req_\w{24}$/.test(headers.get('x-request-id') ?? '')) return 'no X-Request-Id';
  if (head) return body.length === 0 ? judgeStatus(status) : 'a body for HEAD';
  if (status === 200) return judgeGood(answer);
  return judgeError(answer);
}

const STATUSES = new Set<number>([200, ...Object.values(ERRORS).map((error) => error.status)]);
const judgeStatus = (status: number) =>
  STATUSES.has(status) ? null : `the status ${status}, which no error has`;

function judgeGood({ headers, body }: Answer): string | null {
  if (headers.get('content-type') === 'application/jsonl') {
    const lines = body.toString().split('\n').slice(0, -1);
    return lines.every((line) => parsed(Buffer.from(line)) !== undefined)
      ? null
      : 'a result line that is no JSON';
  }
  const value = parsed(body);
  if (value === undefined) return 'a body that is no JSON object';
  // Of a task, `answers` is the number of answers that are kept.
  if ('answers' in value && value.object !== 'task') return judgeAnswers(value.answers);
  return null;
}

/** Every probability is a number from 0 to 1. */
function judgeAnswers(answers: unknown): string | null {
  const all = Object.values(
    answers as Record<
      string,
      {
        noul?: number;
        probability?: number;
        probabilities?: Record<string, number | { probability: number }>;
      }
    >,
  );
  const numbers = all.flatMap(({ noul, probability, probabilities }) => [
    noul ?? probability ?? 0,
    ...Object.values(probabilities ?? {}).map((each) => (typeof each === 'number' ? each : each.probability)),
  ]);
  return all.length > 0 && numbers.every((number) => number >= 0 && number <= 1)
    ? null
    : 'probabilities that are none';
}

function judgeError({ status, headers, body }: Answer): string | null {
  const value = parsed(body);
  const openAi = openAiError(value);
  const type = openAi?.code ?? value?.type;
  if (typeof type !== 'string' || typeof (openAi?.message ?? value?.error) !== 'string')
    return `the status ${status} without a type`;
  if (!Object.hasOwn(ERRORS, type)) return `the type ${type}, which is not in the table`;
  const expected = openAi === undefined ? ERRORS[type as ErrorType].status : openAiStatus(type as ErrorType);
  if (expected !== status) return `the status ${status} with the type ${type}`;
  if ([429, 503].includes(status) && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    return 'no Retry-After';
  if (type === 'invalid_batch') return judgeLines(value?.errors);
  return null;
}

function judgeLines(errors: unknown): string | null {
  const lines = errors as { line: number; type: (typeof LINE_ERRORS)[number] }[];
  const good = Array.isArray(lines) && lines.length > 0 && lines.length <= 100;
  if (!good) return 'an invalid batch without its lines';
  const unknown = lines.find(({ type, line }) => !LINE_ERRORS.includes(type) || !(line >= 1));
  return unknown === undefined ? null : `a line with the type ${unknown.type}`;
}

/** The same for an answer to bytes that may be no request: a transport's own is one too. */
export function judgeRaw(answer: Answer): string | null {
  const { status, headers, body } = answer;
  if (LIBRARY_STATUSES.includes(status) && body.toString().startsWith('<h1>')) return null;
  // The bytes may have made a HEAD of it, whose body is missed.
  if (status >= 500 && status !== 503 && status !== 505) return `the answer ${status}`;
  return headers.has('x-request-id') ? judgeStatus(status) : 'no X-Request-Id';
}

/** Answers that depend on what else goes on. */
const PASSING = [429, 503];

/** Whether the same request may have been answered differently a moment ago. */
export function mayDiffer(one: Answer, other: Answer): boolean {
  return PASSING.includes(one.status) || PASSING.includes(other.status);
}
