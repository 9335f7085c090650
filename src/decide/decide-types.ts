import type { ImageBudget, ImageFormat, QuestionType } from '../api/index.js';

/** JSON as it was sent: object entries in order, numbers as written. */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: ReadonlyArray<readonly [key: string, value: JsonNode]> }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | {
      readonly kind: 'text';
      readonly value: string;
      /** The object or list that was sent in place of the string, whose indented JSON it is: on `/v1/systemone` only. */
      readonly json?: JsonNode;
    }
  /** A number, `true`, `false` or `null`, as its source text. */
  | { readonly kind: 'literal'; readonly source: string };

/** One option of a question, in the order of the criteria. */
export interface Option {
  /** `true` and `false` for noul, the label for choice, the level's number for score. */
  readonly key: string;
  /** What the model sees if there is no description: `Yes`, `No`, the label, `Level <n>`. */
  readonly name: string;
  readonly description: string | null;
  /** The `json` of the description. Absent once the references are found. */
  readonly json?: JsonNode;
}

/** A checked question. `options`: for noul `true`, then `false`; for choice as sent; for score lowest level first. */
export interface Question {
  readonly name: string;
  readonly type: QuestionType;
  readonly instructions: string | null;
  readonly options: readonly Option[];
  /** The `json` of the instructions. Absent once the references are found. */
  readonly json?: JsonNode;
  /** On `/v1/decisions` only. */
  readonly repeats?: Repeated;
}

/** What a response repeats of a question. */
export interface Repeated {
  /** Null: it has none. */
  readonly name: string | null;
  /** Per option the value of the choice or the label of the level; empty for a question without such options. */
  readonly values: ReadonlyArray<string | boolean>;
}

/** A request that passed every check that needs no model. */
export interface DecideRequest {
  readonly model: string | null;
  readonly state: JsonNode;
  readonly questions: readonly Question[];
  readonly imageBudget: ImageBudget;
  readonly assets: readonly Asset[];
}

/** An image of a request (contract 2.3); its bytes are not checked yet. */
export interface Asset {
  readonly reference: string;
  /** The declared format; null if it is not a supported one. */
  readonly format: ImageFormat | null;
  readonly source:
    | { readonly of: 'base64'; readonly text: string }
    | { readonly of: 'part'; readonly name: string };
}

/** An image reference in a string: the code units from `start` to `end` refer to an asset. */
export interface ImageUse {
  readonly start: number;
  readonly end: number;
  /** The index in the request's `assets`. */
  readonly asset: number;
}

/** The image references in a question. */
export interface QuestionUses {
  readonly instructions: readonly ImageUse[];
  /** By option; empty for options without a description. */
  readonly descriptions: ReadonlyArray<readonly ImageUse[]>;
}

/** All image references of a request, in the order of each string. */
export interface ImageUses {
  /** In the state as the model reads it: the string itself, or indented JSON. */
  readonly state: readonly ImageUse[];
  /** In the order of the questions. */
  readonly questions: readonly QuestionUses[];
}
