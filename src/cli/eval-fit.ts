import { OperatorError } from '../base/index.js';
import { Catalog, readManifest } from '../engine/index.js';
import {
  type AnsweredQuestion,
  type Calibrations,
  type FitReport,
  fitTemperatures,
  improved,
  percent,
  signed,
  type TypeFit,
  temperaturesInForce,
  writeTemperatures,
} from '../evaluation/index.js';
import { print, printError } from './output.js';
import { table } from './text-table.js';

const HEAD = ['fitted', 'questions', 'wrong', 'log loss', 'cross-validated', 'change', 'temperatures'];

/**
 * Fits temperatures to answers, compared with those that the manifest has now, which may be others than those of stored
 * answers. If the manifest cannot be used, the fit is refused, so that the report of the answers is not lost.
 *
 * @param stored the builds of an archive, as far as they are known
 */
export async function fitAnswers(
  answered: readonly AnsweredQuestion[],
  bootstrap: { readonly seed: number; readonly resamples: number },
  models: string,
  stored: Calibrations | null,
): Promise<FitReport> {
  try {
    return fitTemperatures(answered, bootstrap, await inForce(answered[0]?.model ?? '', models, stored));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return fitTemperatures(answered, bootstrap, error.message.replace(/\.$/, ''));
  }
}

async function inForce(model: string, models: string, stored: Calibrations | null) {
  const build = new Catalog(await readManifest(models), models).find(model);
  const before = build && stored?.[build.id];
  if (build !== undefined && before !== undefined && before !== build.calibration) {
    printError(
      `fit: the answers were given with other temperatures, another profile or other files of ${build.id} than the manifest has now. A fit is right only if profile and files are the same.`,
    );
  }
  return temperaturesInForce(build);
}

/**
 * Prints a fit and writes the temperatures that improve the log loss to the manifest. Throws OperatorError if no question
 * type could be fitted.
 */
export async function applyFit(fit: FitReport, models: string): Promise<void> {
  if (fit.refused !== null) throw new OperatorError(`fit: ${fit.refused}.`);
  const refusals = fit.types.flatMap(({ type, refused }) =>
    refused === null ? [] : [`${type}: ${refused}`],
  );
  if (refusals.length === fit.types.length) throw new OperatorError(`fit: ${refusals.join('. ')}.`);
  print(`\n${fitText(fit)}`);
  for (const refusal of refusals) print(`not fitted: ${refusal}`);
  const temperatures = improved(fit);
  if (Object.keys(temperatures).length === 0) {
    print(
      'No temperature improves the log loss of the folds that it was not fitted on. Nothing was written.',
    );
    return;
  }
  await writeTemperatures(models, fit.build, temperatures);
  print(
    `Written to ${fit.build} in the manifest of ${models}: ${pairs(temperatures)}. A running server uses them after a restart or decider reload. Show them with: decider models check ${fit.build}`,
  );
}

function fitText({ types, held_out: held }: FitReport): string {
  const rows = types.flatMap((each) => rowOf(each));
  return [
    table(HEAD, rows, HEAD.slice(1, 5)),
    ...(held === null
      ? []
      : [
          `Log loss of ${held.questions} held-out questions: ${held.before.toFixed(4)} before, ${held.after.toFixed(4)} after (${percent(held.after / held.before - 1)}).`,
        ]),
  ].join('\n');
}

function rowOf({ type, questions, wrong, cross_validated: result, temperatures }: TypeFit): string[][] {
  if (result === null) return [];
  const { before, after, change, improves } = result;
  const [low, high] = change.ci;
  return [
    [
      type,
      String(questions),
      String(wrong),
      before.toFixed(4),
      after.toFixed(4),
      `${signed(change.value)} [${signed(low)}, ${signed(high)}]${improves ? '' : ' no improvement'}`,
      pairs(temperatures),
    ],
  ];
}

const pairs = (temperatures: Readonly<Record<string, number>>) =>
  Object.entries(temperatures)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
