import { QUESTION_TYPES } from '../../api/index.js';
import { readTemperatures } from '../../engine/index.js';
import { type BootstrapOptions, FOLDS, lossAt, sampleOf } from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { FitReport, TypeFit } from '../report.js';
import { modelsText } from '../show-evaluation.js';
import { fitType, type InForce } from './fit-type.js';

/**
 * Fits temperatures by question type and option count on the development split; on all cases if none names a split.
 *
 * @param inForce what they are compared with, see `temperaturesInForce`; or why that is not known
 */
export function fitTemperatures(
  answered: readonly AnsweredQuestion[],
  options: BootstrapOptions,
  inForce: InForce | string,
): FitReport {
  const builds = [...new Set(answered.map(({ model }) => model))];
  const used = answered.every(({ split }) => split === null)
    ? answered
    : answered.filter(({ split }) => split === 'development');
  const fault = faultOf(builds, answered) ?? (used.length === 0 ? ONLY_HELD_OUT : null);
  const base = { build: modelsText(builds), folds: FOLDS, refused: null };
  if (fault !== null || typeof inForce === 'string')
    return { ...base, refused: fault ?? (inForce as string), types: [], held_out: null };
  const types = QUESTION_TYPES.flatMap((type) => {
    const own = used.filter((question) => question.type === type);
    return own.length === 0 ? [] : [fitType(type, own, options, inForce)];
  });
  return { ...base, types, held_out: heldOut(answered, types, inForce) };
}

const ONLY_HELD_OUT =
  'no case of the development split has an answer; temperatures are never fitted on the held-out split';

/** The temperatures to write: those of the types that improve. */
export function improved({ types }: FitReport): Readonly<Record<string, number>> {
  const better = types.filter(({ cross_validated }) => cross_validated?.improves);
  return Object.assign({}, ...better.map(({ temperatures }) => temperatures));
}

/** Why the answers cannot be used; null if they can. */
function faultOf(builds: readonly string[], answered: readonly AnsweredQuestion[]): string | null {
  if (builds.length > 1) {
    return `${builds.length} builds answered (${modelsText(builds)}); name one with --model, and another --archive`;
  }
  const committed = answered.filter((question) => question.committed).length;
  if (committed > 0) {
    return `${committed} noul questions have only the committed probability; evaluate the engine in process`;
  }
  const unknown = answered.filter(({ raw, temperature }) => raw === null || temperature === null).length;
  if (unknown > 0) {
    return `${unknown} answers have no unrounded probabilities with a known temperature; evaluate the engine in process, or name the archive of such a run with --results`;
  }
  return null;
}

/** The log loss on the held-out split before and after the fit, which did not see it. */
function heldOut(
  answered: readonly AnsweredQuestion[],
  types: readonly TypeFit[],
  inForce: InForce,
): FitReport['held_out'] {
  const better = types.filter(({ cross_validated }) => cross_validated?.improves);
  const fitted = readTemperatures(Object.assign({}, ...better.map(({ temperatures }) => temperatures)));
  const names = new Set(better.map(({ type }) => type));
  const questions = answered.filter(({ split, type }) => split === 'held_out' && names.has(type));
  if (questions.length === 0) return null;
  const losses = questions.map((question) => {
    const { type, raw, temperature, expected, options } = question;
    const sample = sampleOf(raw as number[], temperature as number, expected);
    const temperatures = [inForce(question), fitted.of(type, options.length)] as const;
    return temperatures.map((each) => lossAt(sample, each)) as [number, number];
  });
  const mean = (at: 0 | 1) => losses.reduce((total, pair) => total + pair[at], 0) / losses.length;
  return { questions: questions.length, before: mean(0), after: mean(1) };
}
