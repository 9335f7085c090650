import type { ImageBudget, ImageFormat, QuestionType } from '../api/index.js';

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
  readonly assets: readonly Asset[];
}

/** An image as a request names it (contract 2.3), its bytes not looked at. */
export interface Asset {
  readonly reference: string;
  /** What the request says of the bytes; null where that is no format there is. */
  readonly format: ImageFormat | null;
  readonly source:
    | { readonly of: 'base64'; readonly text: string }
    | { readonly of: 'part'; readonly name: string };
}

/** An image in a text: what stands there between two places, in code units, is the reference to an asset. */
export interface ImageUse {
  readonly start: number;
  readonly end: number;
  /** Its place in the request's `assets`. */
  readonly asset: number;
}

/** The images of a question's own texts. */
export interface QuestionUses {
  readonly instructions: readonly ImageUse[];
  /** By option; those without a description have none. */
  readonly descriptions: ReadonlyArray<readonly ImageUse[]>;
}

/** Every place in which a request shows an image, each text's in its order. */
export interface ImageUses {
  /** In the state as the model reads it: itself where it is a text, indented JSON otherwise. */
  readonly state: readonly ImageUse[];
  /** In the order of the questions. */
  readonly questions: readonly QuestionUses[];
}
