import type { XStatic } from 'typebox/schema';
import type {
  BatchListSchema,
  BatchSchema,
  DecideResponseSchema,
  LimitsSchema,
  SubmitResponseSchema,
  UsageSchema,
} from '../../openapi/index.js';

export type BatchList = XStatic<typeof BatchListSchema>;
export type Batch = XStatic<typeof BatchSchema>;
export type Submitted = XStatic<typeof SubmitResponseSchema>;
export type Limits = XStatic<typeof LimitsSchema>;
export type Usage = XStatic<typeof UsageSchema>;

/** Values by names that callers chose: look them up with `own`. */
export type ByName<Value> = Readonly<Record<string, Value>>;

/** The value of a record's own property: a name may also be that of a method of every object. */
export const own = <Value>(record: ByName<Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export type DecideResponse = XStatic<typeof DecideResponseSchema>;
export type Answer = DecideResponse['answers'][string];
export type ChoiceAnswer = Extract<Answer, { type: 'choice' }>;
export type ScoreAnswer = Extract<Answer, { type: 'score' }>;

/** What a response about a task has besides. */
export interface TaskPart {
  readonly task?: { readonly name: string; readonly version: number };
}

/** Whether an answer about a task passes its threshold; null: none is in force; undefined: it is not about a task. */
export const acceptOf = (answer: Answer): boolean | null | undefined =>
  (answer as { readonly accept?: boolean | null }).accept;

/** A phase of `Server-Timing` (contract 4.1 `Server-Timing`). */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

/** The phases of a `Server-Timing` header, in its order; what cannot be read is left out. */
export function phasesOf(header: string | null): Phase[] {
  return (header ?? '').split(',').flatMap((entry) => {
    const [, name, digits] = /^\s*([\w-]+)\s*;\s*dur=([\d.]+)/.exec(entry) ?? [];
    return name === undefined ? [] : [{ name, ms: Number(digits) }];
  });
}
