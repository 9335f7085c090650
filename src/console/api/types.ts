import type { XStatic } from 'typebox/schema';
import type {
  BatchListSchema,
  BatchSchema,
  LimitsSchema,
  SubmitResponseSchema,
} from '../../openapi/index.js';

export type BatchList = XStatic<typeof BatchListSchema>;
export type Batch = XStatic<typeof BatchSchema>;
export type Submitted = XStatic<typeof SubmitResponseSchema>;
export type Limits = XStatic<typeof LimitsSchema>;

/** Values by names that callers chose: look them up with `own`. */
export type ByName<Value> = Readonly<Record<string, Value>>;

/** The value of a record's own property: a name may also be that of a method of every object. */
export const own = <Value>(record: ByName<Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export interface NoulAnswer {
  readonly type: 'noul';
  readonly noul: number;
}

export interface ChoiceAnswer {
  readonly type: 'choice';
  readonly choice: string;
  readonly confidence: number;
  readonly probabilities: ByName<number>;
}

export interface ScoreAnswer {
  readonly type: 'score';
  readonly level: number;
  readonly score: number;
  readonly confidence: number;
  readonly legend: ByName<string>;
  readonly probabilities: ByName<number>;
}

export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer;

/** Contract 2.4. */
export interface DecideResponse {
  readonly model: string;
  readonly answers: ByName<Answer>;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}
