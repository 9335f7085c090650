import { createHash } from 'node:crypto';
import { ApiError, LIMITS, type QuestionType } from '../../api/index.js';
import {
  fillParts,
  type Leaf,
  type OpenModel,
  type Plan,
  type QuestionShape,
  type Skeleton,
  type Slot,
} from '../../engine/index.js';
import { quoteName, stateText } from '../request/index.js';
import type { DecideRequest, Question } from '../types.js';

/** A request as the engine computes it, and what its answers need besides the logits. */
export interface Prepared {
  readonly plan: Plan;
  /** Softmax temperature per question, in their order. */
  readonly temperatures: readonly number[];
  /** Prefix once and every leaf: what is billed, whatever caches and packing save (contract 8, billing 5). */
  readonly inputTokens: number;
}

/** What a plan needs of a model. */
export type Askable = Pick<OpenModel, 'tokenizer' | 'profile' | 'contextLength'>;

/**
 * Plans a checked request: state first, as the prefix all questions share, then one leaf per question that
 * ends where its answer is read. The model reads the first 20,000 code points of the state (contract 4.3
 * rule 6). Throws ApiError `invalid_question` where a prompt does not fit the context window.
 */
export function planRequest(request: DecideRequest, model: Askable): Prepared {
  const { profile, tokenizer } = model;
  const state = stateText(request.state, LIMITS.stateCodePoints);
  const stateIsText = request.state.kind === 'text';
  const skeletons = request.questions.map((question) => profile.skeleton(shapeOf(question, stateIsText)));
  const [first] = skeletons as [Skeleton];
  const prefix = fillParts(first.prefix, tokenizer, () => state);
  const leaves = request.questions.map((question, index): Leaf => {
    const skeleton = skeletons[index] as Skeleton;
    const text = (slot: Slot) => textOf(slot, question, state);
    // What is too long for any tokenizer's longest tokens is not tokenized: that would take minutes.
    if (bytesOf(skeleton.leaf, text) > tokenizer.bytesOf(model.contextLength)) throw tooLong(question, model);
    const tokens = fillParts(skeleton.leaf, tokenizer, text);
    if (prefix.length + tokens.length > model.contextLength) throw tooLong(question, model);
    return { tokens, options: Int32Array.from(skeleton.labels, (label) => profile.labels[label] as number) };
  });
  const plan = { prefix, prefixKey: prefixKey(prefix), leaves };
  return {
    plan,
    temperatures: request.questions.map((question) =>
      profile.temperatures.of(question.type as QuestionType, question.options.length),
    ),
    inputTokens: leaves.reduce((sum, leaf) => sum + leaf.tokens.length, prefix.length),
  };
}

function shapeOf(question: Question, stateIsText: boolean): QuestionShape {
  return {
    type: question.type,
    stateIsText,
    hasInstructions: question.instructions !== null,
    described: question.options.map((option) => option.description !== null),
  };
}

function textOf(slot: Slot, question: Question, state: string): string {
  switch (slot.of) {
    case 'state':
      return state;
    case 'name':
      return question.name;
    case 'instructions':
      return question.instructions ?? '';
    case 'label':
      return question.options[slot.option]?.name ?? '';
    case 'description':
      return question.options[slot.option]?.description ?? '';
  }
}

/** Prefixes are found again by this; SHA-256, so that nobody can make two prefixes share one. */
function prefixKey(prefix: Int32Array): string {
  return createHash('sha256').update(prefix).digest('base64');
}

/** Bytes of the caller's texts in a leaf. */
function bytesOf(parts: Skeleton['leaf'], text: (slot: Slot) => string): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'slot' ? Buffer.byteLength(text(part.slot)) : 0),
    0,
  );
}

function tooLong(question: Question, { contextLength }: Askable): ApiError {
  return new ApiError(
    'invalid_question',
    `The state and the question ${quoteName(question.name)} take more than the model's context window of ${contextLength} tokens.`,
  );
}
