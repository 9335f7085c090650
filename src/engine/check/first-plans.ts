import type { OpenModel } from '../models/model.js';
import { type ImageReading, SIDE_TOKENS_MAX } from '../models/projector.js';
import { fillParts } from '../profile/fill-template.js';
import { imageTokens, noImages } from '../profile/image-tokens.js';
import type { ShownPart, Slot } from '../profile/profile-types.js';
import { type PlanImage, prefixKey } from '../wave/wave-images.js';
import type { Plan } from '../wave/wave-types.js';

/** The question that a check asks. A wrong answer suggests damaged weights or a wrong profile. */
export const FIRST_QUESTION = {
  state: 'It is noon and there is no cloud.',
  name: 'sky',
  instructions: 'Which colour is the clear sky at noon?',
  labels: ['blue', 'green', 'red'],
} as const;

/** Plans the first question; an `image` is appended to its state. */
export function firstPlan(model: OpenModel, image?: PlanImage): Plan {
  const { labels } = FIRST_QUESTION;
  const skeleton = model.profile.skeleton({
    type: 'choice',
    stateIsText: true,
    hasInstructions: true,
    described: labels.map(() => false),
  });
  const images = image === undefined ? [] : [image];
  const tokensOf =
    model.images === null
      ? noImages
      : imageTokens(
          model.images,
          images.map((each) => tokenCount(each, model.images as ImageReading)),
        );
  const state: ShownPart[] = [FIRST_QUESTION.state, ...images.map((_, index) => ({ image: index }))];
  const shown = (slot: Slot) => (slot.of === 'state' ? state : [textOf(slot)]);
  const prefix = fillParts(skeleton.prefix, model.tokenizer, shown, tokensOf);
  const tokens = fillParts(skeleton.suffix, model.tokenizer, shown, tokensOf);
  const options = Int32Array.from(skeleton.labels, (label) => model.profile.labels[label] as number);
  return { prefix, prefixKey: prefixKey(prefix, images), suffixes: [{ tokens, options }], images };
}

function textOf(slot: Slot): string {
  if (slot.of === 'name') return FIRST_QUESTION.name;
  if (slot.of === 'instructions') return FIRST_QUESTION.instructions;
  return slot.of === 'label' ? (FIRST_QUESTION.labels[slot.option] ?? '') : '';
}

/** The widest and the tallest image a request can lead to, one token on the short side: they use every position of the projector. */
export function extremeImages(reading: ImageReading): PlanImage[] {
  const long = SIDE_TOKENS_MAX * reading.side;
  return [noise(long, reading.side), noise(reading.side, long)];
}

function noise(width: number, height: number): PlanImage {
  const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 2_654_435_761) >>> 24);
  return { width, height, rgb, key: `${width} × ${height}` };
}

const tokenCount = ({ width, height }: PlanImage, { side }: ImageReading) => (width / side) * (height / side);
