import type { EngineChoice } from './choice/engine-choice.js';
import { type Spread, spreadOf } from './speed/fit-costs.js';
import type { Verified, VerifiedTimes } from './verification/verify.js';

/** A candidate replaces the defaults if its score is better by this part. */
const GAIN_MIN = 0.03;
/** Larger differences between predicted and measured times mean that the cost model does not describe the machine … */
const PREDICTION_ERROR_MAX = 0.2;
/** … or that the machine is busy, if the same decode usually took this many times as long as its fastest run. */
export const BUSY_SPREAD = 1.3;
/** So busy a machine says nothing, whatever was predicted. */
export const BUSY_SPREAD_MAX = 2;

/** What is recommended, or why nothing is. */
interface Verdict {
  readonly choice: EngineChoice | null;
  readonly refusals: readonly string[];
  /** What the reader should know about the recommendation. */
  readonly notes: readonly string[];
}

/**
 * Chooses the verified candidate with the best measured score: the first one, which has the default settings, unless
 * another one is clearly better. The fastest round of each counts.
 *
 * @param spreadWith of the decodes that were timed with so many threads
 */
export function recommend(
  verified: readonly Verified[],
  spreadWith: (threads: number) => Spread | undefined,
): Verdict {
  const ran = verified.filter(({ failure, measured }) => failure === null && measured.length > 0);
  const [first] = ran;
  if (first === undefined) {
    return {
      choice: null,
      notes: [],
      refusals: [`no engine could be started: ${verified[0]?.failure ?? 'none was tried'}`],
    };
  }
  const best = ran.reduce((a, b) => (scoreOfVerified(b) < scoreOfVerified(a) ? b : a));
  const chosen = scoreOfVerified(best) < scoreOfVerified(first) * (1 - GAIN_MIN) ? best : first;
  const refusal = busyRefusal(chosen, spreadWith(chosen.choice.threads) ?? { usual: 1, largest: 1 });
  if (refusal !== null) return { choice: null, refusals: [refusal], notes: [] };
  return { choice: chosen.choice, refusals: [], notes: notesOn(chosen, verified) };
}

/** Milliseconds of the fastest round. */
export const scoreOfVerified = ({ measured }: Pick<Verified, 'measured'>) => Math.min(...measured);

/** Predicted ÷ measured − 1, of the fastest round. */
export const predictionError = ({ predicted, measured }: VerifiedTimes) =>
  predicted / Math.min(...measured) - 1;

function busyRefusal({ shapes }: Verified, decodes: Spread): string | null {
  const rounds = spreadOf(shapes.map(({ measured }) => measured));
  const usual = Math.max(decodes.usual, rounds.usual);
  const isWrong = shapes.some((shape) => Math.abs(predictionError(shape)) > PREDICTION_ERROR_MAX);
  if (usual <= (isWrong ? BUSY_SPREAD : BUSY_SPREAD_MAX)) return null;
  return `the machine is busy: the same decode took 1.0 to ${decodes.largest.toFixed(1)} times as long as its fastest run, usually up to ${decodes.usual.toFixed(1)} times, and the same requests up to ${rounds.largest.toFixed(1)} times. Repeat on a quiet machine`;
}

function notesOn({ shapes }: Verified, verified: readonly Verified[]): string[] {
  const worst = Math.max(...shapes.map((shape) => Math.abs(predictionError(shape))));
  const failed = verified.filter(({ failure }) => failure !== null);
  return [
    ...(worst > PREDICTION_ERROR_MAX
      ? [
          `Predictions are wrong by up to ${Math.round(worst * 100)} %: the recommendation is the best of the settings that ran, and others may be better.`,
        ]
      : []),
    ...failed.map(({ choice, failure }) => `${JSON.stringify(choice)} could not run: ${failure}`),
  ];
}
