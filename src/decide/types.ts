import type { ImageBudget, QuestionType } from '../api/index.js';

/** JSON as it was sent: object entries in their order, numbers as written. */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: ReadonlyArray<readonly [key: string, value: JsonNode]> }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'text'; readonly value: string }
  /** A number, `true`, `false` or `null`, as its source text. */
  | { readonly kind: 'literal'; readonly source: string };

/** One option of a question, in the order of the criteria. */
export interface Option {
  /** `true` and `false` for noul, the label for choice, the level's number for score. */
  readonly key: string;
  /** How the option is called where it has no description: `Yes`, `No`, the label, `Level <n>`. */
  readonly name: string;
  readonly description: string | null;
}

/** A question, checked. `options`: noul `true` then `false`; choice as sent; score lowest first. */
export interface Question {
  readonly name: string;
  readonly type: QuestionType;
  readonly instructions: string | null;
  readonly options: readonly Option[];
}

/** A request that passed every check that needs no model. */
export interface DecideRequest {
  readonly model: string | null;
  readonly state: JsonNode;
  readonly questions: readonly Question[];
  readonly imageBudget: ImageBudget;
  /** Whether `assets` holds an entry. */
  readonly hasAssets: boolean;
}
