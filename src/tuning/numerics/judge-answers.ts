import { compare, type Difference } from './compare-answers.js';
import { COMPARED_MIN } from './fixed-prompts.js';
import type { Answers, DeviceAnswers } from './measure-answers.js';

/**
 * How far the probabilities of a device may be from those of the CPU, with a model of four layers. Measured on an H100
 * (docs/performance.md, Answers): at most 0.018 and 0.0025 in the mean with q8_0, 0.0026 and 0.00036 with F16. The CPU
 * itself differs by up to 0.0085 between alone and in company. The bounds are three and four times the largest of these;
 * both are below what another quantization of the same weights does (0.094, 0.022 in the mean). Broken kernels exceed them
 * at once.
 */
const DIFFERENCE_BOUND = { largest: 0.05, mean: 0.01 } as const;
const BOUND_LAYERS = 4;

/** The bounds for a model of so many layers: their roundings are independent, so they grow with the square root. */
export function differenceBounds(layers: number): { readonly largest: number; readonly mean: number } {
  const factor = Math.sqrt(Math.max(1, layers / BOUND_LAYERS));
  return { largest: DIFFERENCE_BOUND.largest * factor, mean: DIFFERENCE_BOUND.mean * factor };
}

/** How the answers of a device compare with those of the CPU, and with each other. */
export interface NumericsReport {
  readonly prompts: number;
  readonly questions: number;
  /** Against the CPU. */
  readonly alone: Difference;
  readonly together: Difference;
  /** The first answer against the same one repeated: on an empty context, and in changing company. */
  readonly repeated: {
    readonly times: number;
    /** Different answers, as bytes, to one request alone. */
    readonly variants: number;
    readonly alone: Difference;
    readonly together: Difference;
  };
  /** Why the device must not be used; empty if its answers are right. */
  readonly refusals: readonly string[];
}

/** Compares the answers of a device with those of the CPU to the same prompts; `layers`: of the model. */
export function judgeNumerics(reference: Answers, found: DeviceAnswers, layers: number): NumericsReport {
  const { repeated } = found;
  const [first = []] = repeated.alone;
  const apart = (answers: Answers) =>
    compare(
      answers.flatMap(() => first),
      answers.flat(),
    );
  const measured = {
    prompts: reference.length,
    questions: reference.flat().length,
    alone: compare(reference.flat(), found.alone.flat()),
    together: compare(reference.flat(), found.together.flat()),
    repeated: {
      times: repeated.alone.length,
      variants: new Set(repeated.alone.map((logits) => logits.map((each) => each.join()).join(';'))).size,
      alone: apart(repeated.alone),
      together: apart(repeated.together),
    },
  };
  return { ...measured, refusals: [...refusalsOf(measured, reference, found, differenceBounds(layers))] };
}

function* refusalsOf(
  { prompts, alone, together, repeated }: Omit<NumericsReport, 'refusals'>,
  reference: Answers,
  found: DeviceAnswers,
  bounds: ReturnType<typeof differenceBounds>,
): Generator<string> {
  if (prompts < COMPARED_MIN)
    yield `only ${prompts} prompts could be compared with the CPU in the time given; at least ${COMPARED_MIN} are needed`;
  const expected = reference.flat();
  const unknown = expected.filter(isUnusable).length;
  if (unknown > 0) {
    yield `on the CPU, the logits of ${unknown} of ${expected.length} questions are not numbers, so that the answers of the device cannot be judged; the file of the model is damaged, or the CPU computes wrongly`;
    return;
  }
  const all = [found.alone, found.together, found.repeated.alone, found.repeated.together].flat(2);
  const unusable = all.filter(isUnusable).length;
  if (unusable > 0) {
    yield `the logits of ${unusable} of ${all.length} questions are not numbers`;
    return;
  }
  const equal = found.alone.flat().filter(isFlat).length;
  if (equal > expected.filter(isFlat).length)
    yield `the logits of ${equal} of ${alone.questions} questions are the same for all options; on the CPU they differ`;
  for (const [how, difference] of Object.entries({ alone, 'with others': together })) {
    // Here and below, written so that NaN fails too.
    if (!(difference.largest <= bounds.largest && difference.mean <= bounds.mean))
      yield `asked ${how}, its probabilities are up to ${show(difference.largest)} from those of the CPU (at most ${show(bounds.largest)} is usual), ${show(difference.mean)} in the mean (at most ${show(bounds.mean)}), and ${difference.changed} of ${difference.questions} answers differ`;
  }
  if (repeated.variants > 1)
    yield `it gave ${repeated.variants} different answers to the same request in ${repeated.times} repeats, up to ${show(repeated.alone.largest)} apart`;
  if (!(repeated.together.largest <= bounds.largest))
    yield `the same request is answered up to ${show(repeated.together.largest)} differently beside others (at most ${show(bounds.largest)} is usual)`;
}

const isUnusable = (logits: Float32Array) => !logits.every(Number.isFinite);

const isFlat = (logits: Float32Array) => logits.length > 1 && logits.every((value) => value === logits[0]);

const show = (value: number) => value.toPrecision(2);
