import { createHash } from 'node:crypto';
import { ApiError, LIMITS, type QuestionType } from '../../api/index.js';
import {
  type Filled,
  fillParts,
  type Leaf,
  type OpenModel,
  type PlacedImage,
  type Plan,
  type QuestionShape,
  type ShownPart,
  type Skeleton,
  type Slot,
} from '../../engine/index.js';
import { shownParts } from '../references/index.js';
import { quoteName, stateText } from '../request/index.js';
import type { DecideRequest, ImageUse, ImageUses, Question, QuestionUses } from '../types.js';

/** A request as the engine computes it, and what its answers need besides the logits. */
export interface Prepared {
  readonly plan: Plan;
  readonly images: PlanImages;
  /** Softmax temperature per question, in their order. */
  readonly temperatures: readonly number[];
  /**
   * Prefix once and every leaf: what is billed, whatever caches and packing save (contract 8, billing 5). Of text:
   * what an image costs, per use, a model that reads images says (billing 4).
   */
  readonly inputTokens: number;
}

/**
 * Where a plan shows the images of its request. One in the state stands in the prefix and is billed once, however
 * many questions read it; one in a question stands in that question's leaf (contract 8, billing 5).
 */
export interface PlanImages {
  readonly prefix: readonly PlacedImage[];
  /** In the order of the questions. */
  readonly leaves: ReadonlyArray<readonly PlacedImage[]>;
}

const NO_IMAGES: ImageUses = { state: [], questions: [] };
const NO_USES: QuestionUses = { instructions: [], descriptions: [] };

/** What a plan needs of a model. */
export type Askable = Pick<OpenModel, 'tokenizer' | 'profile' | 'contextLength'>;

/**
 * Plans a checked request: state first, as the prefix all questions share, then one leaf per question that
 * ends where its answer is read. The model reads the first 20,000 code points of the state (contract 4.3
 * rule 6), where `uses` are replaced by their images. Throws ApiError `invalid_question` where a prompt does not fit the context window.
 */
export function planRequest(request: DecideRequest, model: Askable, uses = NO_IMAGES): Prepared {
  const { profile, tokenizer } = model;
  const state = shownParts(stateText(request.state, LIMITS.stateCodePoints), uses.state);
  const stateIsText = request.state.kind === 'text';
  const skeletons = request.questions.map((question) => profile.skeleton(shapeOf(question, stateIsText)));
  const [first] = skeletons as [Skeleton];
  const prefix = fillParts(first.prefix, tokenizer, () => state);
  const filled = request.questions.map((question, index): Filled => {
    const { leaf } = skeletons[index] as Skeleton;
    const shown = (slot: Slot) => shownIn(slot, question, state, uses.questions[index] ?? NO_USES);
    // What is too long for any tokenizer's longest tokens is not tokenized: that would take minutes.
    if (bytesOf(leaf, shown) > tokenizer.bytesOf(model.contextLength)) throw tooLong(question, model);
    const made = fillParts(leaf, tokenizer, shown);
    if (prefix.tokens.length + made.tokens.length > model.contextLength) throw tooLong(question, model);
    return made;
  });
  const leaves = filled.map(({ tokens }, index): Leaf => {
    const { labels } = skeletons[index] as Skeleton;
    return { tokens, options: Int32Array.from(labels, (label) => profile.labels[label] as number) };
  });
  return {
    plan: { prefix: prefix.tokens, prefixKey: prefixKey(prefix.tokens), leaves },
    images: { prefix: prefix.images, leaves: filled.map(({ images }) => images) },
    temperatures: request.questions.map((question) =>
      profile.temperatures.of(question.type as QuestionType, question.options.length),
    ),
    inputTokens: leaves.reduce((sum, leaf) => sum + leaf.tokens.length, prefix.tokens.length),
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

/** What fills a slot. Names and labels show no image, whatever they hold (contract 4.3 rule 2). */
function shownIn(
  slot: Slot,
  question: Question,
  state: readonly ShownPart[],
  { instructions, descriptions }: QuestionUses,
): readonly ShownPart[] {
  switch (slot.of) {
    case 'state':
      return state;
    case 'name':
      return [question.name];
    case 'instructions':
      return shownParts(question.instructions ?? '', instructions);
    case 'label':
      return [question.options[slot.option]?.name ?? ''];
    case 'description': {
      const uses: readonly ImageUse[] = descriptions[slot.option] ?? [];
      return shownParts(question.options[slot.option]?.description ?? '', uses);
    }
  }
}

/** Prefixes are found again by this; SHA-256, so that nobody can make two prefixes share one. */
function prefixKey(prefix: Int32Array): string {
  return createHash('sha256').update(prefix).digest('base64');
}

/** Bytes of the caller's texts in a leaf. */
function bytesOf(parts: Skeleton['leaf'], shown: (slot: Slot) => readonly ShownPart[]): number {
  const texts = parts.flatMap((part) => (part.kind === 'slot' ? shown(part.slot) : []));
  return texts.reduce((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
}

function tooLong(question: Question, { contextLength }: Askable): ApiError {
  return new ApiError(
    'invalid_question',
    `The state and the question ${quoteName(question.name)} take more than the model's context window of ${contextLength} tokens.`,
  );
}
