import { ApiError, LIMITS, OPTION_KINDS, type OptionKind } from '../api/index.js';
import {
  fillParts,
  type ImageTokens,
  imageTokens,
  LABEL_MASS,
  noImages,
  type OpenModel,
  type Plan,
  type PlanImage,
  type PromptTokenizer,
  prefixKey,
  type QuestionShape,
  type ShownPart,
  type Skeleton,
  type Slot,
  type Suffix,
} from '../engine/index.js';
import { gridTokens } from '../images/index.js';
import type { DecideRequest, ImageUse, ImageUses, Question, QuestionUses } from './decide-types.js';
import { type Diagnostics, NO_DIAGNOSTICS } from './diagnostics.js';
import { stateText } from './request/state-text.js';
import { quoteName } from './request/strings.js';
import { inOrder, rotated, rotationsOf } from './rotations.js';

/** A plan, and what its answers need besides the logits. */
export interface Prepared {
  readonly plan: Plan;
  /** Softmax temperature per question, in their order. */
  readonly temperatures: readonly number[];
  /** In how many orders of its options each question is asked; each order is a suffix of the plan. 0: it was left out. */
  readonly orders: readonly number[];
  /**
   * The billed tokens: the prefix once and every suffix, whatever caches and packing save. An image in the state counts
   * once, in the prefix; an image in a question counts in that question's suffix. Each use has the tokens of its squares
   * and two markers (contract 8 rules 4 and 5). 0 if all questions were left out.
   */
  readonly inputTokens: number;
}

/** The images of a request. */
interface Shown {
  readonly uses: ImageUses;
  /** In the order of its assets, each resized for the model. */
  readonly images: readonly PlanImage[];
}

/** What a format says about text that is longer than a model reads. */
export interface LongTexts {
  /** What the model reads of a state, in code points; null: all of it. */
  readonly stateCodePoints: number | null;
  /** A question that does not fit the context window makes the request fail, or is left out of the plan. */
  readonly longQuestion: 'fails' | 'left out';
}

/** Contract 4.3 rule 6. */
export const CUT_STATE: LongTexts = { stateCodePoints: LIMITS.stateCodePoints, longQuestion: 'fails' };
const NOTHING: Shown = { uses: { state: [], questions: [] }, images: [] };
const NO_USES: QuestionUses = { instructions: [], descriptions: [] };

/** What planning needs of a model. */
interface PromptModel extends Pick<OpenModel, 'profile' | 'contextLength' | 'images'> {
  readonly tokenizer: PromptTokenizer;
}

/**
 * Plans a checked request: the state as the prefix that all questions share, then the suffixes of each question, one per
 * order of its options, which end at the answer position. References are replaced by images. Throws ApiError
 * `invalid_question` if a prompt exceeds the context window, unless `long` says that its question is left out.
 */
export function planRequest(
  request: DecideRequest,
  model: PromptModel,
  { uses, images }: Shown = NOTHING,
  { optionRotations, labelMass }: Pick<Diagnostics, 'optionRotations' | 'labelMass'> = NO_DIAGNOSTICS,
  { stateCodePoints, longQuestion }: LongTexts = CUT_STATE,
): Prepared {
  const { profile, tokenizer } = model;
  const bytesMax = tokenizer.bytesOf(model.contextLength);
  const stateIsText = request.state.kind === 'text';
  const prompts = request.questions.map((question, index) =>
    rotationsOf(question, optionRotations).map((by): Prompt => {
      const asked = inOrder(question, uses.questions[index] ?? NO_USES, by);
      return { ...asked, by, skeleton: profile.skeleton(shapeOf(asked.question, stateIsText)) };
    }),
  );
  const [[first]] = prompts as [[Prompt]];
  const state = shownParts(stateText(request.state, stateCodePoints ?? bytesMax + 1), uses.state);
  const tokensOf = tokensOfImages(model, images);
  const head = first.skeleton.prefix;
  // Text that is too long even if each token were the longest is not tokenized: that could take minutes.
  const isTooLong = stateCodePoints === null && bytesOf(head, () => state) > bytesMax;
  const prefix = isTooLong ? null : fillParts(head, tokenizer, () => state, tokensOf);
  const shared = prefix && { state, tokensOf, prefix, labelMass };
  const left = new LeftOut(longQuestion === 'left out');
  const suffixes = prompts.map((orders, index) => {
    const made = suffixesOf(orders, model, shared);
    if (!('bytes' in made)) return made.suffixes;
    left.add(made.bytes, () => tooLong(request.questions[index] as Question, model));
    return [];
  });
  const all = suffixes.flat();
  const read = prefix === null || all.length === 0 ? new Int32Array(0) : prefix;
  return {
    plan: { prefix: read, prefixKey: prefixKey(read, images), suffixes: all, images },
    temperatures: request.questions.map((question) =>
      profile.temperatures.of(question.type, question.options.length),
    ),
    orders: suffixes.map(({ length }) => length),
    inputTokens: all.reduce((sum, suffix) => sum + suffix.tokens.length, read.length),
  };
}

/** A question with its options in one order. */
interface Prompt {
  readonly question: Question;
  readonly uses: QuestionUses;
  /** Places by which its options are rotated. */
  readonly by: number;
  readonly skeleton: Skeleton;
}

/** What the prompts of a request have in common. */
interface Shared {
  readonly state: readonly ShownPart[];
  readonly tokensOf: ImageTokens;
  readonly prefix: Int32Array;
  readonly labelMass: boolean;
}

/**
 * The suffixes of a question, one per order of its options. `bytes` instead: one does not fit the context window, and this
 * is the text that was tokenized to find that out.
 */
function suffixesOf(
  orders: readonly Prompt[],
  model: PromptModel,
  shared: Shared | null,
): { readonly suffixes: readonly Suffix[] } | { readonly bytes: number } {
  if (shared === null) return { bytes: 0 };
  const suffixes: Suffix[] = [];
  for (const prompt of orders) {
    const made = suffixOf(prompt, model, shared);
    if (typeof made === 'number') return { bytes: made * (suffixes.length + 1) };
    suffixes.push(made);
  }
  return { suffixes };
}

/**
 * The labels of the suffix are in the order of the options as sent. A number instead: the prompt does not fit the context
 * window, and this many bytes of text were tokenized to find that out.
 */
function suffixOf(
  { question, uses, by, skeleton: { suffix, labels } }: Prompt,
  model: PromptModel,
  { state, tokensOf, prefix, labelMass }: Shared,
): Suffix | number {
  const { profile, tokenizer, contextLength } = model;
  const shown = (slot: Slot) => shownIn(slot, question, state, uses);
  const left = contextLength - prefix.length;
  const bytes = bytesOf(suffix, shown);
  if (left <= 0 || bytes > tokenizer.bytesOf(left)) return 0;
  const tokens = fillParts(suffix, tokenizer, shown, tokensOf);
  if (prefix.length + tokens.length > contextLength) return bytes;
  const shownLabels = labels.map((label) => profile.labels[label] as number);
  const options = rotated(shownLabels, labels.length - by);
  return { tokens, options: Int32Array.from(labelMass ? [...options, LABEL_MASS] : options) };
}

/** Questions that do not fit the context window: refused, or left out as long as tokenizing them, which is free, is short. */
class LeftOut {
  private bytes = 0;

  constructor(private readonly isAllowed: boolean) {}

  /** @param bytes the text of one question that was tokenized; throws `refusal`, or ApiError `invalid_question` beyond the limit */
  add(bytes: number, refusal: () => ApiError): void {
    if (!this.isAllowed) throw refusal();
    this.bytes += bytes;
    if (this.bytes <= LIMITS.leftOutBytes) return;
    throw new ApiError(
      'invalid_question',
      `The questions that do not fit the context window have over ${LIMITS.leftOutBytes} bytes together. Shorten them, or send fewer of them in one request.`,
      {},
      {},
      'questions',
    );
  }
}

/** The templates of models know these types. */
const PROMPT_TYPES: Record<OptionKind, QuestionShape['type']> = {
  sides: 'noul',
  labels: 'choice',
  levels: 'score',
};

function shapeOf(question: Question, stateIsText: boolean): QuestionShape {
  return {
    type: PROMPT_TYPES[OPTION_KINDS[question.type]],
    stateIsText,
    hasInstructions: question.instructions !== null,
    described: question.options.map((option) => option.description !== null),
  };
}

/** What fills a slot. References in names and labels are not replaced (contract 4.3 rule 2). */
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

function tokensOfImages({ images: reading }: PromptModel, images: readonly PlanImage[]): ImageTokens {
  if (reading === null) return noImages;
  return imageTokens(
    reading,
    images.map((image) => gridTokens(image, reading.side)),
  );
}

/** Bytes of the caller's strings in a suffix. */
function bytesOf(parts: Skeleton['suffix'], shown: (slot: Slot) => readonly ShownPart[]): number {
  const texts = parts.flatMap((part) => (part.kind === 'slot' ? shown(part.slot) : []));
  return texts.reduce((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
}

function tooLong(question: Question, { contextLength }: PromptModel): ApiError {
  return new ApiError(
    'invalid_question',
    `The state and the question ${quoteName(question.name)} take more than the model's context window of ${contextLength} tokens.`,
  );
}

/** Replaces the references in a string by their images (contract 4.3 rule 3). */
export function shownParts(text: string, uses: readonly ImageUse[]): ShownPart[] {
  if (uses.length === 0) return [text];
  const parts: ShownPart[] = [];
  let at = 0;
  for (const { start, end, asset } of uses) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push({ image: asset });
    at = end;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
