import type { Template } from '@huggingface/jinja';
import type { ModelDescription } from '../addon/addon-types.js';
import { type ChatFrame, chatFrame } from './chat.js';
import { fillParts } from './fill-template.js';
import { noImages } from './image-tokens.js';
import { LABELS, labelTokens } from './labels.js';
import {
  type Format,
  ProfileError,
  type PromptPart,
  type PromptType,
  type QuestionShape,
  type Skeleton,
  type Temperatures,
} from './profile-types.js';
import { compileTemplate, displayOrder, renderShape, type TemplatePiece, unquoteState } from './template.js';
import type { Tokenizer } from './tokenizer.js';

/** Maximum number of cached skeletons. A shape is a handful of flags, so real traffic has far fewer. */
const SKELETONS_MAX = 1_000;

/** States whose beginning a tokenizer may merge with the text before them. */
const STATE_BEGINNINGS = ['a', 'The', '1', ' a', '\n', '\n\na', '{\n  "a": 1\n}', '"', '(', '<', 'é', '🙂'];

/** A model's format, verified against its vocabulary. */
export class Profile {
  readonly labels: Int32Array;
  private readonly template: Template;
  private readonly chat: ChatFrame;
  private readonly skeletons = new Map<string, Skeleton>();
  /** The prefix for string states and the one for JSON states. */
  private readonly prefixTexts = new Map<boolean, string>();

  /** Throws ProfileError if the format does not work with the model. */
  constructor(
    readonly format: Format,
    readonly temperatures: Temperatures,
    private readonly tokenizer: Tokenizer,
    description: ModelDescription,
  ) {
    this.template = compileTemplate(format);
    this.chat = chatFrame(description);
    requireNoSpace(tokenizer);
    this.labels = this.verify();
  }

  /**
   * The prompt of a shape, around the caller's strings. Throws ProfileError if the template treats a shape that was not
   * among the samples differently from those.
   */
  skeleton(shape: QuestionShape): Skeleton {
    const key = shapeKey(shape);
    const known = this.skeletons.get(key);
    if (known !== undefined) return known;
    const made = this.build(shape);
    requireTexts(shape, made);
    if (prefixText(made) !== this.prefixTexts.get(shape.stateIsText)) {
      throw new ProfileError('its decision template renders part of the question before the state');
    }
    const oldest = this.skeletons.keys().next();
    if (this.skeletons.size >= SKELETONS_MAX && !oldest.done) this.skeletons.delete(oldest.value);
    this.skeletons.set(key, made);
    return made;
  }

  /** The tokens that every prompt begins with, for any state. */
  head(): Int32Array {
    const prefixes = sampleShapes().flatMap((shape) => {
      const { prefix } = this.skeleton(shape);
      return STATE_BEGINNINGS.map((state) => fillParts(prefix, this.tokenizer, () => [state], noImages));
    });
    const [first] = prefixes as [Int32Array];
    let length = 0;
    while (prefixes.every((prefix) => length < prefix.length && prefix[length] === first[length]))
      length += 1;
    return first.slice(0, length);
  }

  private build(shape: QuestionShape): Skeleton {
    let pieces = renderShape(this.template, this.format, this.chat, LABELS, shape);
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

  /**
   * Renders every kind of question once: each string must reach the prompt, the prefix must be the same for all, and the
   * letters must be single tokens after each ending. Returns the tokens of the letters.
   */
  private verify(): Int32Array {
    const shapes = sampleShapes();
    for (const shape of shapes) {
      const known = this.prefixTexts.has(shape.stateIsText);
      if (!known) this.prefixTexts.set(shape.stateIsText, prefixText(this.build(shape)));
    }
    const skeletons = shapes.map((shape) => this.skeleton(shape));
    const endings = new Set(skeletons.map((skeleton) => lastText(skeleton.suffix)));
    const verified = [...endings].map((ending) => labelTokens(this.tokenizer, this.format, ending));
    const [first] = verified as [Int32Array];
    if (verified.some((labels) => labels.some((token, index) => token !== first[index]))) {
      throw new ProfileError('option letters must tokenize alike for all question types');
    }
    return first;
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

function requireTexts(shape: QuestionShape, { prefix, suffix }: Skeleton): void {
  const shown = new Set([...prefix, ...suffix].map((part) => (part.kind === 'slot' ? slotName(part) : '')));
  const wanted = ['state'];
  if (shape.hasInstructions) wanted.push('instructions');
  shape.described.forEach((described, option) => {
    if (described) wanted.push(`description ${option}`);
    if (shape.type === 'choice') wanted.push(`label ${option}`);
  });
  const lacking = wanted.find((name) => !shown.has(name));
  if (lacking !== undefined) throw new ProfileError(`its decision template does not render the ${lacking}`);
}

function slotName({ slot }: Extract<PromptPart, { kind: 'slot' }>): string {
  return 'option' in slot ? `${slot.of} ${slot.option}` : slot.of;
}

/** The text before the answer: what follows the last marker or slot. */
function lastText(parts: readonly PromptPart[]): string {
  const last = parts.at(-1);
  return last?.kind === 'text' ? last.text : '';
}

function sampleShapes(): QuestionShape[] {
  const counts: Array<[PromptType, number]> = [
    ['noul', 2],
    ['choice', 1],
    ['choice', 26],
    ['score', 3],
  ];
  const flags = [true, false];
  return counts.flatMap(([type, options]) =>
    flags.flatMap((stateIsText) =>
      flags.flatMap((hasInstructions) =>
        flags.map((described) => ({
          type,
          stateIsText,
          hasInstructions,
          described: Array.from({ length: options }, () => described),
        })),
      ),
    ),
  );
}

function shapeKey(shape: QuestionShape): string {
  const flags = shape.described.map((described) => (described ? '1' : '0')).join('');
  return `${shape.type} ${shape.stateIsText} ${shape.hasInstructions} ${flags}`;
}
