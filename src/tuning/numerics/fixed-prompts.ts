import { ApiError, IMAGE_BUDGETS } from '../../api/index.js';
import { type Random, random } from '../../base/index.js';
import { type DecideRequest, planRequest, type Question } from '../../decide/index.js';
import {
  longestPrompt,
  type OpenModel,
  type Plan,
  type PlanImage,
  planCells,
  type WaveBounds,
} from '../../engine/index.js';
import { sentences } from '../../load/index.js';

/** Prompts on which two backends are compared. */
export const PROMPTS = 200;
/** Fewer prompts than this say too little about a device. */
export const COMPARED_MIN = 16;

const SEED = 1;
const QUESTIONS_MAX = 16;
/** Of the prompts that every device is compared on: a CPU must answer them with the largest models in a few minutes. */
const FIRST_QUESTIONS_MAX = 3;
/** Characters of the states of usual prompts. */
const STATE_CHARACTERS = [60, 150, 300, 600] as const;
/** Every so many prompts, one is about as long as a wave. */
const LONG_EVERY = 20;
const CHARACTERS_PER_TOKEN = 5;
/** Every so many prompts begin with an image, if the model reads them. */
const IMAGE_EVERY = 4;
const IMAGE_PLACE = '[image]';
/** A state or question that does not fit is shortened to this share. */
const SHORTER = 0.75;
const LABELS = ['billing', 'technical', 'account', 'shipping', 'sales', 'abuse', 'legal', 'other'] as const;

/** What planning needs of a model. */
export type PlanningModel = Pick<OpenModel, 'tokenizer' | 'profile' | 'contextLength' | 'images'>;

/**
 * The first `count` of a fixed list of requests, planned for a model: texts of 60 characters up to a wave, images where
 * the model reads them, and 1 to 16 questions of all types, at most 3 in the first 16 requests. The same on every machine.
 * The prompt of each question fits into a wave, and all of them into the cells of a context, because a longer request is
 * shortened. Throws ApiError if a question alone does not fit.
 */
export function fixedPlans(model: PlanningModel, bounds: WaveBounds, count = PROMPTS): Plan[] {
  const source = random(SEED);
  return Array.from({ length: count }, (_, at) => {
    const characters =
      at % LONG_EVERY === LONG_EVERY - 1
        ? bounds.waveTokens * CHARACTERS_PER_TOKEN
        : (STATE_CHARACTERS[at % STATE_CHARACTERS.length] as number);
    const state = sentences(source, characters);
    const most = at < COMPARED_MIN ? FIRST_QUESTIONS_MAX : QUESTIONS_MAX;
    const questions = Array.from({ length: 1 + (at % most) }, (__, index) => question(source, index));
    const image = model.images !== null && at % IMAGE_EVERY === 0 ? noise(source, model.images.side) : null;
    return fitted({ state, questions, image }, model, bounds);
  });
}

/** A request before it is planned. */
interface Draft {
  readonly state: string;
  readonly questions: readonly Question[];
  readonly image: PlanImage | null;
}

/** Plans a request, shortening its state, then leaving out questions, until it fits. */
function fitted(draft: Draft, model: PlanningModel, bounds: WaveBounds): Plan {
  for (let { state, questions, image } = draft; ; ) {
    try {
      const plan = planOf({ state, questions, image }, model);
      if (longestPrompt(plan) <= bounds.waveTokens && planCells(plan) <= bounds.cells) return plan;
    } catch (error) {
      if (!(error instanceof ApiError) || (state.length === 1 && questions.length === 1)) throw error;
    }
    if (state.length > 1) state = state.slice(0, Math.floor(state.length * SHORTER));
    else if (questions.length > 1) questions = questions.slice(0, Math.floor(questions.length * SHORTER));
    else throw new ApiError('invalid_question', 'A wave is too short for one question.');
  }
}

function planOf({ state, questions, image }: Draft, model: PlanningModel): Plan {
  const value = image === null ? state : `${IMAGE_PLACE}${state}`;
  const request: DecideRequest = {
    model: null,
    state: { kind: 'text', value },
    questions,
    imageBudget: IMAGE_BUDGETS[0],
    assets: [],
  };
  if (image === null) return planRequest(request, model).plan;
  const places = [{ start: 0, end: IMAGE_PLACE.length, asset: 0 }];
  const none = questions.map(() => ({ instructions: [], descriptions: [] }));
  return planRequest(request, model, { uses: { state: places, questions: none }, images: [image] }).plan;
}

/** All three types take turns. */
function question(source: Random, index: number): Question {
  const name = `question ${index + 1}`;
  const instructions = `Is this so: ${sentences(source, 20 + source.integer(40))}`;
  const option = (key: string, text: string) => ({ key, name: text, description: null });
  if (index % 3 === 0)
    return { name, type: 'noul', instructions, options: [option('true', 'Yes'), option('false', 'No')] };
  const count = 2 + source.integer(LABELS.length - 1);
  if (index % 3 === 1)
    return {
      name,
      type: 'choice',
      instructions,
      options: LABELS.slice(0, count).map((label) => option(label, label)),
    };
  const levels = Array.from({ length: count }, (_, level) => option(String(level + 1), `Level ${level + 1}`));
  return { name, type: 'score', instructions, options: levels };
}

/** Tokens of an image: as many as the smallest budget allows, in the shape of a wide photo. */
const IMAGE_TOKENS = { wide: 10, high: 7 } as const;

function noise(source: Random, side: number): PlanImage {
  const [width, height] = [IMAGE_TOKENS.wide * side, IMAGE_TOKENS.high * side];
  const rgb = Uint8Array.from({ length: width * height * 3 }, () => source.integer(256));
  return { width, height, rgb, key: `noise ${source.integer(2 ** 32)}` };
}
