import {
  hostOf,
  machine,
  OperatorError,
  readEndpoint,
  showInstant,
  systemClock,
  VERSION,
} from '../base/index.js';
import {
  ARRIVALS_MAX,
  HttpTarget,
  type LatencyTarget,
  type LoadDependencies,
  type LoadPlan,
  type LoadResult,
  loadPage,
  probeServer,
  RATE_MAX,
  readTarget,
  runRates,
  runSearch,
  showRate,
  stepSeconds,
  watchClient,
} from '../load/index.js';
import { isModelOf, readWholeBetween, tokenOf } from './arguments.js';
import { checkFiles } from './command-files.js';
import { LoadStatus, printLoad } from './load-output.js';
import { chooseRequests, type RequestOptions } from './load-requests.js';
import { printError, reportError } from './output.js';
import { INTERRUPTED, onStopSignals } from './signals.js';
import { writeReport } from './whole-output.js';

const RATES_MAX = 50;
const MINUTE_MS = 60_000;
/** A day. */
const MINUTES_MAX = 1_440;
/** Steps of a search whose first rate is within a factor of 16 of the result. */
const SEARCH_STEPS = { least: 6, most: 10 };

/** The options of `decider load` as commander reads them. */
interface LoadOptions extends RequestOptions {
  readonly token?: string;
  readonly path: string;
  readonly rates: string;
  readonly find?: string;
  readonly minutes?: string;
  readonly seconds: string;
  readonly warmUp: string;
  readonly connections: string;
  readonly timeout: string;
  readonly seed: string;
  readonly json?: string;
  readonly html?: string;
}

/** `decider load`: measures, prints what was measured, also after Ctrl-C, and writes the files. */
export const load = (base: string, options: LoadOptions): Promise<void> =>
  reportError(async () => {
    const url = readEndpoint(base, options.path);
    const plan = readPlan(options);
    const rates = readRates(options.rates, plan.seconds + plan.warmUpSeconds);
    const target = options.find === undefined ? null : readTarget(options.find, plan.timeoutMs);
    const minutes = readMinutes(options);
    const endsAt = minutes === null ? undefined : systemClock.monotonic() + minutes * MINUTE_MS;
    checkFiles({ inputs: { '--cases': options.cases }, outputs: { json: options.json, html: options.html } });
    const server = new HttpTarget(url, tokenOf(options.token), plan.connections);
    const ending = new AbortController();
    onStopSignals(
      () => ending.abort(),
      () => process.exit(INTERRUPTED),
    );
    const context = { clock: systemClock, stop: ending.signal };
    const startedAt = showInstant(systemClock.now());
    const probing = { ...context, timeoutMs: plan.timeoutMs };
    const { name, requests } = await chooseRequests(options, plan.seed, server, url, probing);
    const probe = await probeServer(server, url, requests, probing);
    if (probe === null) process.exit(INTERRUPTED);
    warnOfOtherModel(options.model, probe.model);
    const search = target && { target, first: 1_000 / probe.lone_ms, minutes, endsAt };
    const measured = await measure(rates, search, plan, {
      ...context,
      ...{ requests, watchClient },
      send: server.send,
    });
    await server.close();
    const result: LoadResult = {
      ...{ url: url.href, server: probe },
      client: { machine: machine(), version: VERSION, shares_machine: isLoopback(url) },
      started_at: startedAt,
      finished_at: showInstant(systemClock.now()),
      load: {
        requests: name,
        seed: plan.seed,
        model: options.model ?? null,
        connections: plan.connections,
        timeout_seconds: plan.timeoutMs / 1_000,
      },
      ...measured,
      interrupted: ending.signal.aborted,
    };
    printLoad(result);
    if (options.json !== undefined) writeReport('json', options.json, `${JSON.stringify(result, null, 2)}\n`);
    if (options.html !== undefined) writeReport('html', options.html, await loadPage(result));
    process.exit(result.interrupted ? INTERRUPTED : result.find?.rate === null ? 1 : 0);
  });

/** On `/v1/systemone`, a server answers an unknown model with its default one. */
function warnOfOtherModel(model: string | undefined, answered: string | null): void {
  if (model === undefined || answered === null || isModelOf(answered, model)) return;
  printError(`--model ${model}: answers come from ${answered}.`);
}

/** A search for the highest rate that meets a target. */
interface Search {
  readonly target: LatencyTarget;
  /** The rate that it begins with. */
  readonly first: number;
  /** The most that the command may take; null: no limit. */
  readonly minutes: number | null;
  /** When that is over, on the monotonic clock. */
  readonly endsAt: number | undefined;
}

/** Measures the rates, or searches for the highest one that meets the target. Shows the progress. */
async function measure(
  rates: readonly number[],
  search: Search | null,
  plan: LoadPlan,
  parts: Omit<LoadDependencies, 'onStart' | 'onEnd'>,
): Promise<Pick<LoadResult, 'steps' | 'find'>> {
  const status = new LoadStatus(process.stderr);
  const dependencies: LoadDependencies = {
    ...parts,
    onStart: (rate, step, seconds) => status.start(rate, step, seconds),
    onEnd: (result) => status.end(result),
  };
  if (search === null) return { steps: await runRates(rates, plan, dependencies), find: null };
  const { target, first, minutes, endsAt } = search;
  for (const line of announced(stepSeconds(target, first, plan), first, minutes)) status.line(line);
  const { steps, found } = await runSearch(target, first, plan, dependencies, endsAt);
  return { steps, find: { ...target, ...found } };
}

/** How long a search takes. Throws OperatorError if its first step takes longer than it may. */
function announced(seconds: number, first: number, minutes: number | null): string[] {
  const step = Math.ceil(seconds);
  if (minutes !== null && seconds > minutes * 60)
    throw new OperatorError(
      `minutes: ${minutes} is too short: the first step takes ${step} s. Give at least ${Math.ceil(seconds / 60) + 1}.`,
    );
  const { least, most } = SEARCH_STEPS;
  const usual = `${inMinutes(least * seconds)} to ${inMinutes(most * seconds)} minutes`;
  return [
    `Search from ${showRate(first)} requests/s, where a step takes ${step} s.`,
    `Most searches have ${least} to ${most} steps: ${usual}.${minutes === null ? '' : ` It ends after ${minutes}.`}`,
  ];
}

const inMinutes = (seconds: number) => Math.max(1, Math.round(seconds / 60));

function readMinutes({ minutes, find }: LoadOptions): number | null {
  if (minutes === undefined) return null;
  if (find === undefined) throw new OperatorError('minutes: give --find, too.');
  return readWholeBetween('minutes', minutes, 1, MINUTES_MAX);
}

const readPlan = ({ seed, seconds, warmUp, connections, timeout }: LoadOptions): LoadPlan => ({
  seed: readWholeBetween('seed', seed, 0, 2 ** 31),
  seconds: readWholeBetween('seconds', seconds, 1, 3_600),
  warmUpSeconds: readWholeBetween('warm-up', warmUp, 0, 600),
  connections: readWholeBetween('connections', connections, 1, 10_000),
  timeoutMs: readWholeBetween('timeout', timeout, 1, 3_600) * 1_000,
});

function readRates(text: string, seconds: number): number[] {
  const rates = text
    .split(',')
    .map((part) => (/^\d+(\.\d+)?$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (rates.length > RATES_MAX) throw new OperatorError(`rates: at most ${RATES_MAX} rates.`);
  for (const rate of rates) {
    if (!(rate > 0 && rate <= RATE_MAX))
      throw new OperatorError(`rates: "${text}" is not a list of requests per second such as 10,20,40.`);
    if (rate * seconds > ARRIVALS_MAX)
      throw new OperatorError(`rates: ${rate} requests/s for ${seconds} s are too many. Lower --seconds.`);
  }
  return rates;
}

const isLoopback = (url: URL) => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(hostOf(url));
