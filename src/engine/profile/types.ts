import type { QuestionType } from '../../api/index.js';

/** What of a question decides the template's text around the caller's: everything but the texts. */
export interface QuestionShape {
  readonly type: QuestionType;
  readonly stateIsText: boolean;
  readonly hasInstructions: boolean;
  /** Per option, in the order of the question: whether it has a description. */
  readonly described: readonly boolean[];
}

/** A place in the prompt that a text of the caller fills. */
export type Slot =
  | { readonly of: 'state' }
  | { readonly of: 'name' }
  | { readonly of: 'instructions' }
  | { readonly of: 'label'; readonly option: number }
  | { readonly of: 'description'; readonly option: number };

/** What fills a slot: text, and images by their place in the request's list. */
export type ShownPart = string | { readonly image: number };

/**
 * One part of a prompt. Text between two markers, the template's and the callers' together, is tokenized as
 * one run with special tokens off; a marker is a token that only a template can write.
 */
export type PromptPart =
  | { readonly kind: 'marker'; readonly text: string; readonly token: number }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'slot';
      readonly slot: Slot;
      /** The template wrote the text into a JSON string: what fills the slot is escaped. */
      readonly json: boolean;
      /** The template wrote `<` as `\\u003c`, as the winnow format does: so does what fills the slot. */
      readonly escapesLess: boolean;
      /** The template took the white space around the text away: so does what fills the slot. */
      readonly trims: boolean;
    };

/** The prompt of all questions of one shape, cut where the shared prefix ends. */
export interface Skeleton {
  /** Template head and state; equal for every shape of one request. */
  readonly prefix: readonly PromptPart[];
  /** Instructions, options, and all that follows up to the answer slot. */
  readonly suffix: readonly PromptPart[];
  /** `labels[i]`: which label option i of the question has been given. */
  readonly labels: readonly number[];
}

/** A format in which models are asked: data, read from a GGUF or built in. */
export interface Format {
  readonly name: string;
  /** Jinja with `state`, `instructions`, `type`, `id`, `options[{key, description, label}]`, `chat_head`, `chat_tail`. */
  readonly template: string;
  /** Whether yes or no is shown first. */
  readonly noulFirst: 'true' | 'false';
  /**
   * How the label follows the prompt: `joined` in one text (the tokenizer must not merge the two), or
   * `apart` where the format itself tokenizes the label on its own.
   */
  readonly labelBoundary: 'joined' | 'apart';
}

/** Softmax temperature per question type, and per number of options where a model says so. */
export interface Temperatures {
  of(type: QuestionType, options: number): number;
}

/** A model cannot be asked for decisions; one sentence says why. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
}
