import type { QuestionType } from '../../api/index.js';

/** The types of questions that the templates of models know. */
export type PromptType = 'noul' | 'choice' | 'score';

/** What determines the template's text for a question: everything except the caller's strings. */
export interface QuestionShape {
  readonly type: PromptType;
  readonly stateIsText: boolean;
  readonly hasInstructions: boolean;
  /** Per option, in the order of the question: whether it has a description. */
  readonly described: readonly boolean[];
}

/** A place in the prompt for a string of the caller. */
export type Slot =
  | { readonly of: 'state' }
  | { readonly of: 'name' }
  | { readonly of: 'instructions' }
  | { readonly of: 'label'; readonly option: number }
  | { readonly of: 'description'; readonly option: number };

/** What fills a slot: text, and images by index in the request. */
export type ShownPart = string | { readonly image: number };

/**
 * One part of a prompt. Text between two markers, of the template and of the caller together, is tokenized as one run with
 * special tokens off; a marker is a token that only a template can write.
 */
export type PromptPart =
  | { readonly kind: 'marker'; readonly text: string; readonly token: number }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'slot';
      readonly slot: Slot;
      /** The template writes the value into a JSON string, so it is escaped. */
      readonly json: boolean;
      /** The template writes `<` as `\\u003c`, as the winnow format does. */
      readonly escapesLess: boolean;
      /** The template trims white space around the value. */
      readonly trims: boolean;
    };

/** The prompt of all questions of one shape, split at the end of the shared prefix. */
export interface Skeleton {
  /** Template head and state; equal for every shape of one request. */
  readonly prefix: readonly PromptPart[];
  /** Instructions, options, and all that follows up to the answer slot. */
  readonly suffix: readonly PromptPart[];
  /** `labels[i]`: the label of option i. */
  readonly labels: readonly number[];
}

/** A prompt format: data, read from a GGUF or built in. */
export interface Format {
  readonly name: string;
  /** Jinja with `state`, `instructions`, `type`, `id`, `options[{key, description, label}]`, `chat_head`, `chat_tail`. */
  readonly template: string;
  /** Whether yes or no is listed first. */
  readonly noulFirst: 'true' | 'false';
  /**
   * How the label follows the prompt: `joined` in one text (the tokenizer must not merge the two), or
   * `apart` where the format itself tokenizes the label on its own.
   */
  readonly labelBoundary: 'joined' | 'apart';
}

/** Softmax temperature per question type, and per number of options if the model specifies it. */
export interface Temperatures {
  /** By `<type>` for every type, and by `<type>.<bucket>` where it differs. */
  readonly values: Readonly<Record<string, number>>;
  of(type: QuestionType, options: number): number;
}

/** A model cannot answer decisions; the message states why. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
}

/** Longest time to parse or render a template of a model file; typical ones take less than a millisecond. */
export const RENDER_MS_MAX = 2_000;
/** How often a render that takes too long is tried. The limit is real time, and a busy host may not run the thread meanwhile. */
export const RENDER_TRIES_MAX = 2;

/** The decision template takes too long for a question. */
export class SlowTemplateError extends ProfileError {
  constructor(does: 'parse' | 'render' = 'render') {
    super(`its decision template does not ${does}: it takes more than ${RENDER_MS_MAX} ms`);
  }
}
