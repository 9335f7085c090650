import { join, parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../api/index.js';
import { Interrupted, OperatorError, SYSTEM_ONE_PATH, systemClock, visibleJson } from '../base/index.js';
import { Catalog, MANIFEST_FILE, readManifest } from '../engine/index.js';
import {
  buildReport,
  type Cases,
  compare,
  comparisonPage,
  ENGINE_CONCURRENCY,
  type Evaluated,
  type EvaluationReport,
  engineTarget,
  evaluate,
  evaluationPage,
  mixedTemperatures,
  modelsText,
  readCases,
  readStored,
  type StoredOutcomes,
  serverTarget,
  type Target,
  wrongAnswers,
} from '../evaluation/index.js';
import { openLocal } from '../server/index.js';
import { configFile, loadSettings, type Settings } from '../settings/index.js';
import { createErrorLog } from '../telemetry/index.js';
import { isModelOf, readWholeBetween, tokenOf } from './arguments.js';
import { readBenchmark } from './benchmark-format.js';
import { checkFiles } from './command-files.js';
import { applyFit, fitAnswers } from './eval-fit.js';
import { pricesFor } from './eval-prices.js';
import { EvalProgress } from './eval-progress.js';
import { comparisonText, reportText } from './eval-table.js';
import { print, printError, reportError } from './output.js';
import { requireEditable } from './own-models.js';
import { INTERRUPTED } from './signals.js';
import { writeReport } from './whole-output.js';

interface EvalOptions {
  readonly config?: string;
  readonly json?: string;
  readonly html?: string;
  readonly errors?: string;
  readonly format?: string;
  readonly model?: string;
  readonly url?: string;
  readonly path?: string;
  readonly token?: string;
  readonly concurrency?: string;
  readonly results?: string;
  readonly compare?: readonly string[];
  readonly archive?: string;
  readonly resume?: boolean;
  readonly exact?: boolean;
  readonly orderBias?: boolean;
  readonly formatBias?: boolean;
  readonly modeDifference?: boolean;
  readonly rotations?: string;
  readonly fit?: boolean;
  readonly seed: string;
  readonly resamples: string;
}

const SERVER_CONCURRENCY = 4;
/** Options that have no meaning without `--url`. */
const OF_SERVER = ['path', 'token'] as const;
const CONCURRENCY_MAX = 256;
const RESAMPLES_MAX = 100_000;

/** `decider eval` */
export const evaluateCases = (file: string, options: EvalOptions): Promise<void> =>
  reportError(async () => {
    const bootstrap = {
      seed: readWholeBetween('seed', options.seed, 0, 2 ** 32 - 1),
      resamples: readWholeBetween('resamples', options.resamples, 1, RESAMPLES_MAX),
    };
    const settings = loadSettings(process.env, options.config);
    if (options.fit) await requireEditable(settings);
    checkFilesOf(file, options, settings);
    const cases = readCases(file, readBenchmark(options.format));
    if (options.compare !== undefined) return compareRuns(cases, options.compare, bootstrap, options);
    const found =
      options.results === undefined ? await ask(cases, settings, options) : stored(options.results, cases);
    if (found === null) {
      process.exitCode = INTERRUPTED;
      return;
    }
    const { outcomes, target } = found;
    const calibrations = 'calibrations' in found ? found.calibrations : null;
    warnOfMixed(cases, { outcomes });
    const prices = await pricesFor(settings, target.kind === 'results' ? 'batch' : 'live');
    const { report, answered, failures } = buildReport({ cases, outcomes, target, prices, ...bootstrap });
    if (report === null) {
      const reasons = failures.map(({ type, cases: count, example }) => `${type} (${count}): ${example}`);
      throw new OperatorError(`No case has an answer. ${reasons.join('; ')}`);
    }
    const fit = options.fit ? await fitAnswers(answered, bootstrap, settings.models, calibrations) : null;
    const whole = fit === null ? report : { ...report, fit };
    writeJson(options.json, whole);
    const wrong = wrongAnswers(answered, cases.cases);
    if (options.errors !== undefined) writeReport('errors', options.errors, jsonLines(wrong));
    if (options.html !== undefined) writeReport('html', options.html, await evaluationPage(whole, wrong));
    print(reportText(report, wrong));
    warnOfOtherModels(report, options);
    if (fit !== null) await applyFit(fit, settings.models);
  });

/** Throws OperatorError if an output cannot be written or would overwrite another file of the command. */
function checkFilesOf(cases: string, options: EvalOptions, { models }: Pick<Settings, 'models'>): void {
  const { config, results, compare, json, html, errors } = options;
  const asks = results === undefined && compare === undefined;
  checkFiles({
    inputs: {
      'the cases': cases,
      '--results': results,
      '--compare': compare,
      'the configuration': configFile(process.env, config),
      'the manifest': join(models, MANIFEST_FILE),
    },
    outputs: { archive: asks ? archiveOf(cases, options) : undefined, json, html, errors },
  });
}

const archiveOf = (cases: string, { archive }: EvalOptions): string =>
  archive ?? `${parse(cases).name}.archive.jsonl`;

/** On `/v1/systemone`, a server answers an unknown model with its default one. */
function warnOfOtherModels({ models }: EvaluationReport, { model }: EvalOptions): void {
  if (model === undefined) return;
  const others = models.filter((answered) => !isModelOf(answered, model));
  if (others.length === 0) return;
  printError(`--model ${model}: answers came from ${modelsText(others)}.`);
}

/** Asks a server, or the engine in this process. Null if it was interrupted. */
async function ask(cases: Cases, settings: Settings, options: EvalOptions): Promise<Evaluated | null> {
  const archive = archiveOf(cases.file, options);
  const model = options.model ?? null;
  const exact = options.exact ?? settings.engine.exact;
  const variants = {
    order: options.orderBias ?? false,
    format: options.formatBias ?? false,
    modes: options.modeDifference ?? false,
    averages: readAverages(options.rotations),
  };
  if (options.url !== undefined && (variants.modes || options.exact !== undefined)) {
    throw new OperatorError(
      'A server chooses its own mode: --exact and --mode-difference cannot be used with --url.',
    );
  }
  const alone = options.url === undefined && OF_SERVER.find((name) => options[name] !== undefined);
  if (alone) throw new OperatorError(`${alone}: give --url, too.`);
  const stopping = new AbortController();
  const openEngine = (inExactMode: boolean) => () =>
    openEngineTarget(cases, settings, inExactMode, options, stopping.signal);
  const { url } = options;
  onInterrupt(stopping);
  const progress = await EvalProgress.create();
  try {
    const evaluated = await evaluate({
      cases,
      variants,
      model,
      archive,
      resume: options.resume ?? false,
      openTarget: url === undefined ? openEngine(exact) : async () => openServer(url, options),
      openOtherMode: openEngine(!exact),
      signal: stopping.signal,
      onProgress: (done, total) => progress.update(done, total),
      async wait({ type, message }, seconds) {
        progress.note(`${type}: ${message} Waiting ${seconds} s (Retry-After).`);
        await sleep(seconds * 1_000, undefined, { signal: stopping.signal }).catch(() => {});
      },
    });
    if (evaluated.complete) return evaluated;
    progress.note(`Stopped after ${progress.text}. Repeat the command with --resume to continue ${archive}.`);
    return null;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    progress.note('Stopped before the first request. To start again, repeat the command.');
    return null;
  } finally {
    progress.stop();
  }
}

/** The first SIGINT lets requests in progress finish; a second one ends the process. */
function onInterrupt(stopping: AbortController): void {
  process.on('SIGINT', () => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
    process.stderr.write('\nFinishing the requests in progress; Ctrl-C again ends at once.\n');
  });
}

function openServer(url: string, { path = SYSTEM_ONE_PATH, token, concurrency }: EvalOptions): Target {
  const given = tokenOf(token);
  return serverTarget({
    url,
    path,
    token: given === '' ? null : given,
    concurrency: readConcurrency(concurrency, SERVER_CONCURRENCY),
  });
}

async function openEngineTarget(
  cases: Cases,
  settings: Settings,
  exact: boolean,
  { model, concurrency }: EvalOptions,
  stop: AbortSignal,
): Promise<Target> {
  if (model !== undefined) {
    const catalog = new Catalog(await readManifest(settings.models), settings.models);
    if (catalog.find(model) === undefined) {
      throw new OperatorError(`model: the manifest has no ${model}. Run: decider models list`);
    }
  }
  const names = model === undefined ? new Set(cases.cases.map((each) => each.model)) : [model];
  const service = await openLocal(
    { ...settings, engine: { ...settings.engine, exact } },
    {
      clock: systemClock,
      log: createErrorLog('error', undefined, visibleJson).log,
      report: {
        notice: (sentence) => printError(sentence),
        token: () => {},
        progress: () => {},
      },
      stop,
    },
    [...names],
  );
  process.once('exit', (status) => service.exit(status));
  return engineTarget(service, exact, readConcurrency(concurrency, ENGINE_CONCURRENCY));
}

function stored(file: string, cases: Cases): StoredOutcomes {
  const found = readStored(file);
  warnOfOtherCases(file, found, cases);
  return found;
}

function warnOfOtherCases(file: string, { casesSha256 }: StoredOutcomes, cases: Cases): void {
  if (casesSha256 === null || casesSha256 === cases.sha256) return;
  printError(`${file} was made with another version of ${cases.file}; cases are matched by id.`);
}

function warnOfMixed({ cases }: Cases, { outcomes }: Pick<StoredOutcomes, 'outcomes'>): void {
  for (const sentence of mixedTemperatures(cases, outcomes)) printError(sentence);
}

async function compareRuns(
  cases: Cases,
  files: readonly string[],
  bootstrap: { readonly seed: number; readonly resamples: number },
  { json, html }: EvalOptions,
): Promise<void> {
  const [a, b] = files;
  if (a === undefined || b === undefined || files.length !== 2) {
    throw new OperatorError('compare: name two archives or batch results files, after the cases file.');
  }
  const [first, second] = [readStored(a), readStored(b)];
  if (first.casesSha256 && second.casesSha256 && first.casesSha256 !== second.casesSha256) {
    throw new OperatorError(
      `compare: ${a} and ${b} were made with different cases files. Repeat one of the runs with the cases of the other.`,
    );
  }
  warnOfOtherCases(a, first, cases);
  warnOfOtherCases(b, second, cases);
  warnOfMixed(cases, first);
  warnOfMixed(cases, second);
  const report = compare(cases, [first, second], bootstrap);
  if (report === null) throw new OperatorError(`${a} and ${b} have no answered question in common.`);
  writeJson(json, report);
  if (html !== undefined) writeReport('html', html, await comparisonPage(report));
  print(comparisonText(report));
}

const jsonLines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

function writeJson(file: string | undefined, value: unknown): void {
  if (file !== undefined) writeReport('json', file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Numbers of orders. 1 may be among them: every case is asked as sent. */
function readAverages(list: string | undefined): number[] {
  if (list === undefined) return [];
  const counts = list
    .split(',')
    .map((each) => readWholeBetween('rotations', each, 1, LIMITS.optionRotations));
  const averages = [...new Set(counts)].filter((count) => count > 1).sort((a, b) => a - b);
  if (averages.length > 0) return averages;
  throw new OperatorError(`rotations: name a number from 2 to ${LIMITS.optionRotations}.`);
}

const readConcurrency = (text: string | undefined, ordinary: number): number =>
  text === undefined ? ordinary : readWholeBetween('concurrency', text, 1, CONCURRENCY_MAX);
