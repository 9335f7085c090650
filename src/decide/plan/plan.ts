import { ApiError, LIMITS, type QuestionType } from '../../api/index.js';
import {
  concatenate,
  type Leaf,
  longestPrompt,
  type OpenModel,
  type Part,
  type Plan,
  type QuestionShape,
  type Skeleton,
  type Slot,
} from '../../engine/index.js';
import { stateText, truncateCodePoints } from '../request/index.js';
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
  const { profile } = model;
  const state = stateText(request.state, LIMITS.stateCodePoints);
  const stateIsText = request.state.kind === 'text';
  const skeletons = request.questions.map((question) => profile.skeleton(shapeOf(question, stateIsText)));
  const [first] = skeletons as [Skeleton];
  const prefix = fill(first.prefix, model, () => state);
  const leaves = request.questions.map((question, index): Leaf => {
    const skeleton = skeletons[index] as Skeleton;
    return {
      tokens: fill(skeleton.leaf, model, (slot) => textOf(slot, question, state)),
      options: Int32Array.from(skeleton.labels, (label) => profile.labels[label] as number),
    };
  });
  const plan = { prefix, leaves };
  requireFit(plan, request, model.contextLength);
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

/**
 * Fills the slots and tokenizes. Template text and callers' text between two markers are one run: cut there,
 * `Question: ` and `Is it?` would give other tokens than the `▁Is` that models are trained on. A run is
 * tokenized with special tokens off, so that only the template's own markers stand in a prompt.
 */
function fill(parts: readonly Part[], model: Askable, text: (slot: Slot) => string): Int32Array {
  const tokens: Int32Array[] = [];
  let run = '';
  const endRun = () => {
    if (run !== '') tokens.push(model.tokenizer.plain(run));
    run = '';
  };
  for (const part of parts) {
    if (part.kind === 'marker') {
      endRun();
      tokens.push(Int32Array.of(part.token));
    } else run += part.kind === 'text' ? part.text : written(part, text(part.slot));
  }
  endRun();
  return concatenate(tokens);
}

function written(part: Extract<Part, { kind: 'slot' }>, text: string): string {
  const escaped = part.json ? JSON.stringify(text).slice(1, -1) : text;
  return part.escapesLess ? escaped.replaceAll('<', '\\u003c') : escaped;
}

function requireFit(plan: Plan, request: DecideRequest, contextLength: number): void {
  if (longestPrompt(plan) <= contextLength) return;
  const index = plan.leaves.findIndex((leaf) => plan.prefix.length + leaf.tokens.length > contextLength);
  const tokens = plan.prefix.length + (plan.leaves[index] as Leaf).tokens.length;
  const name = JSON.stringify(
    truncateCodePoints(request.questions[index]?.name ?? '', LIMITS.quotedNameCodePoints),
  );
  throw new ApiError(
    'invalid_question',
    `The state and the question ${name} take ${tokens} tokens, more than the model's context window of ${contextLength}.`,
  );
}
