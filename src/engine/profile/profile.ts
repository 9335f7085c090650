import type { Template } from '@huggingface/jinja';
import type { ModelDescription } from '../addon/addon-types.js';
import { type ChatFrame, chatFrame } from './chat.js';
import { fillParts } from './fill-template.js';
import { noImages } from './image-tokens.js';
import { findLabels, keepsLabels, type Label, type LabelSet, LETTERS } from './labels.js';
import {
  type Format,
  ProfileError,
  type PromptPart,
  type QuestionShape,
  type Skeleton,
  SlowTemplateError,
  type Temperatures,
} from './profile-types.js';
import { longShapes, requireTexts, sampleShapes, shapeKey } from './question-shapes.js';
import { SkeletonCache } from './skeleton-cache.js';
import { SlowShapes } from './slow-shapes.js';
import { compileTemplate, displayOrder, renderShape, type TemplatePiece, unquoteState } from './template.js';
import type { Tokenizer } from './tokenizer.js';
import { type RenderedSamples, type VerifiedProfile, verifiedProfile } from './verified-profile.js';

/** States whose beginning a tokenizer may merge with the text before them. */
const STATE_BEGINNINGS = ['a', 'The', '1', ' a', '\n', '\n\na', '{\n  "a": 1\n}', '"', '(', '<', 'é', '🙂'];

const NO_PAIRS = 'its vocabulary has no pairs of letters as single tokens at the answer position';

/** Stands for the label of an option: letters and digits, which no filter of a template escapes. */
const labelStandIn = (option: number) => `QJ${option}QJ`;

/** Of why a model has letters only, which may quote its template. */
const REASON_CHARACTERS_MAX = 1_000;

/** A model's format, verified against its vocabulary. */
export class Profile {
  readonly labelSet: LabelSet;
  /** The tokens of the labels, in the order in which options get them. */
  readonly labels: Int32Array;
  private labelTexts: readonly string[] = LETTERS;
  private template: Template | undefined;
  private readonly chat: ChatFrame;
  private headTokens: Int32Array | undefined;
  private readonly skeletons = new SkeletonCache();
  private readonly slowShapes = new SlowShapes();
  /** The prefix for string states and the one for JSON states. */
  private readonly prefixTexts = new Map<boolean, string>();

  /**
   * Throws ProfileError if the format does not work with the model.
   *
   * @param known what a profile of the same files and format found: neither its labels are searched for again, nor are the
   * templates rendered, which together take 60 ms of processor time in a new thread
   */
  constructor(
    readonly format: Format,
    readonly temperatures: Temperatures,
    private readonly tokenizer: Tokenizer,
    description: ModelDescription,
    known?: VerifiedProfile,
  ) {
    const rendered = known?.rendered ?? null;
    this.chat = rendered?.chat ?? chatFrame(description);
    if (rendered !== null) this.use(rendered);
    const endings = rendered === null ? this.verify() : [];
    this.labelSet = known?.labels ?? this.chooseLabels(endings);
    this.labelTexts = this.labelSet.list.map(({ text }) => text);
    this.labels = Int32Array.from(this.labelSet.list, ({ token }) => token);
  }

  /**
   * The prompt of a shape, around the caller's strings. Throws ProfileError if the template treats a shape that was not
   * among the samples differently from those.
   */
  skeleton(shape: QuestionShape): Skeleton {
    const key = shapeKey(shape);
    const known = this.skeletons.get(key);
    if (known !== undefined) return known;
    const made = this.slowShapes.render(key, () => this.build(shape));
    this.requireWhole(shape, made);
    this.skeletons.add(key, made);
    return made;
  }

  /** What a profile of the same files need not find again. */
  verified(): VerifiedProfile {
    const skeletons = [...this.skeletons.entries()];
    return verifiedProfile(this.labelSet, { chat: this.chat, head: [...this.head()], skeletons });
  }

  /** The tokens that every prompt begins with, for any state. */
  head(): Int32Array {
    this.headTokens ??= this.findHead();
    return this.headTokens;
  }

  private findHead(): Int32Array {
    const prefixes = sampleShapes(LETTERS.length).flatMap((shape) => {
      const { prefix } = this.skeleton(shape);
      return STATE_BEGINNINGS.map((state) => fillParts(prefix, this.tokenizer, () => [state], noImages));
    });
    const [first] = prefixes as [Int32Array];
    let length = 0;
    while (prefixes.every((prefix) => length < prefix.length && prefix[length] === first[length]))
      length += 1;
    return first.slice(0, length);
  }

  private build(shape: QuestionShape, labels = this.labelTexts): Skeleton {
    this.template ??= compileTemplate(this.format);
    let pieces = renderShape(this.template, this.format, this.chat, labels, shape);
    if (!shape.stateIsText) pieces = unquoteState(pieces);
    const order = displayOrder(this.format, shape);
    return {
      ...cutAfterState(pieces.flatMap((piece) => this.parts(piece))),
      labels: order.map((_, option) => order.indexOf(option)),
    };
  }

  private parts(piece: TemplatePiece): PromptPart[] {
    if (typeof piece !== 'string') return [{ kind: 'slot', ...piece }];
    return this.tokenizer
      .splitTemplate(piece)
      .map((part) => (typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'marker', ...part }));
  }

  private use({ head, skeletons }: RenderedSamples): void {
    this.headTokens = Int32Array.from(head);
    for (const [key, skeleton] of skeletons) this.skeletons.add(key, skeleton);
  }

  /**
   * Renders every kind of question once: each string must reach the prompt, and the prefix must be the same for all.
   * Returns the texts that can stand right before the answer.
   */
  private verify(): string[] {
    requireNoSpace(this.tokenizer);
    const skeletons = sampleShapes(LETTERS.length).map((shape) => this.skeleton(shape));
    return [...new Set(skeletons.map(({ suffix }) => lastText(suffix)))];
  }

  /** The beginning of every prompt for a text, or for a state as JSON. */
  private prefixFor(stateIsText: boolean): string {
    const known = this.prefixTexts.get(stateIsText);
    if (known !== undefined) return known;
    const shape = sampleShapes(1).find((each) => each.stateIsText === stateIsText) as QuestionShape;
    const text = prefixText(this.skeletons.get(shapeKey(shape)) ?? this.build(shape));
    this.prefixTexts.set(stateIsText, text);
    return text;
  }

  /** All labels of the vocabulary, if the template can express as many options; otherwise the letters. */
  private chooseLabels(endings: readonly string[]): LabelSet {
    const found = findLabels(this.tokenizer, this.format, endings);
    if (found.length === LETTERS.length) return { list: found, lettersOnly: NO_PAIRS };
    try {
      for (const shape of longShapes(found.length)) this.verifyLong(shape, found, endings);
      return { list: found, lettersOnly: null };
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      const lettersOnly = error.message.slice(0, REASON_CHARACTERS_MAX);
      const letters = { list: found.slice(0, LETTERS.length), lettersOnly };
      return error instanceof SlowTemplateError ? { ...letters, isSlow: true } : letters;
    }
  }

  /** Throws ProfileError unless the template renders a question of many options as it does one of a few. */
  private verifyLong(shape: QuestionShape, labels: readonly Label[], endings: readonly string[]): void {
    const standIns = labels.map((_, option) => labelStandIn(option));
    const made = this.build(shape, standIns);
    this.requireWhole(shape, made);
    const text = templateText(made.suffix);
    if (!standIns.every((label) => text.includes(label)))
      throw new ProfileError('its decision template does not render the label of every option');
    const ending = lastText(made.suffix);
    if (!endings.includes(ending) && !keepsLabels(this.tokenizer, this.format, ending, labels))
      throw new ProfileError('its decision template ends otherwise if a question has many options');
  }

  /** Throws ProfileError unless a prompt has every string of the caller, and its prefix is that of all questions. */
  private requireWhole(shape: QuestionShape, made: Skeleton): void {
    requireTexts(shape, made);
    if (prefixText(made) === this.prefixFor(shape.stateIsText)) return;
    throw new ProfileError('its decision template renders part of the question before the state');
  }
}

/** Some vocabularies prepend a space to every text, so each part of a prompt would start with one. */
function requireNoSpace(tokenizer: Tokenizer): void {
  const [first] = tokenizer.plain('a');
  if (first !== undefined && tokenizer.piece(first).toString('utf8').startsWith(' ')) {
    throw new ProfileError('its vocabulary prepends a space to every text, which is not supported');
  }
}

/**
 * The prefix ends with the first part that contains the state, and with the closing quote if the template writes it as a
 * JSON string; so it contains nothing of a question.
 */
function cutAfterState(parts: readonly PromptPart[]): Pick<Skeleton, 'prefix' | 'suffix'> {
  const place = parts.findIndex((part) => part.kind === 'slot');
  const state = parts[place];
  if (state?.kind !== 'slot' || state.slot.of !== 'state') {
    throw new ProfileError('its decision template renders the question before the state');
  }
  const prefix = parts.slice(0, place + 1);
  const suffix = parts.slice(place + 1);
  const [next] = suffix;
  if (state.json && next?.kind === 'text' && next.text.startsWith('"')) {
    prefix.push({ kind: 'text', text: '"' });
    suffix[0] = { kind: 'text', text: next.text.slice(1) };
  }
  return { prefix, suffix };
}

const prefixText = ({ prefix }: Skeleton) => JSON.stringify(prefix);

/** What the template itself writes. */
function templateText(parts: readonly PromptPart[]): string {
  return parts.map((part) => (part.kind === 'slot' ? '' : part.text)).join('\n');
}

/** The text before the answer: what follows the last marker or slot. */
function lastText(parts: readonly PromptPart[]): string {
  const last = parts.at(-1);
  return last?.kind === 'text' ? last.text : '';
}
