import { once } from 'node:events';
import { AccessError } from '../access/index.js';
import { createErrorLog, LineOutput, SettingsError, systemClock } from '../base/index.js';
import { BackendError, type CatalogBuild, ModelError } from '../engine/index.js';
import { ListenError } from '../http/index.js';
import { StoreError } from '../store/index.js';
import { type Server, startServer } from './server.js';
import { loadSettings } from './settings.js';
import { onStopSignals } from './signals.js';
import { StartError } from './start-error.js';

/** Mistakes of an operator: one line, no stack. */
const OPERATOR_ERRORS = [
  StartError,
  StoreError,
  AccessError,
  ModelError,
  BackendError,
  ListenError,
  SettingsError,
];

const EXAMPLE = JSON.stringify({
  state: 'My card was charged twice!',
  questions: {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
  },
});

/** How long the end of a server may wait for those who read its log and what it printed. */
const FLUSH_MS_MAX = 500;

/**
 * `decider serve`: starts the server in this process and ends it on a signal. The first SIGTERM or SIGINT ends
 * a start with 0, and a server that runs when it has answered what is in flight, with 0; a second one ends it at
 * once, with 1.
 */
export async function serve(config: string | undefined): Promise<void> {
  // Whoever read what the start said may be gone: nobody's answer ends with that.
  const printed = new LineOutput(1);
  const print = (line: string) => printed.write(`${line}\n`);
  const outputs = [printed];
  const ending = new AbortController();
  let server: Server | undefined;
  let token = 'dk_…';
  onStopSignals(
    () => ending.abort(),
    () => {
      // A thread inside llama.cpp would keep the process until its wave ends.
      server?.engines.cancel();
      process.exit(1);
    },
  );
  try {
    const settings = loadSettings(process.env, config);
    const { log, output } = createErrorLog(settings['log.level']);
    outputs.push(output);
    const report = {
      notice: print,
      token: (made: string) => {
        print(`token: ${made}`);
        token = made;
      },
      progress: progress(print),
    };
    server = await startServer(settings, {
      clock: systemClock,
      log,
      logLinesDropped: () => output.dropped,
      report,
      stop: ending.signal,
    });
  } catch (error) {
    if (ending.signal.aborted) process.exit(0);
    fail(error);
  }
  introduce(server, token, print);
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  print('draining');
  try {
    await server.stop();
  } catch (error) {
    fail(error);
  }
  await Promise.all(outputs.map((output) => output.flush(FLUSH_MS_MAX)));
  process.exit(0);
}

/** Ends the process with 1 and says why. */
function fail(error: unknown): never {
  const known = OPERATOR_ERRORS.some((kind) => error instanceof kind);
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? error)}\n`);
  process.exit(1);
}

/** Runs a command of the command line; a mistake of the operator ends it with 1 and one line. */
export async function reportError(command: () => void | Promise<void>): Promise<void> {
  // A reader such as `head` may have seen enough.
  process.stdout.on('error', () => process.exit());
  try {
    await command();
  } catch (error) {
    fail(error);
  }
}

function introduce(
  { url, urls, metricsUrl, transport, engines }: Server,
  token: string,
  print: (line: string) => void,
): void {
  const where = engines.device === '' ? 'CPU' : `${engines.devices.join(', ')} (${engines.backend})`;
  for (const { id, model } of engines.catalog.builds) {
    print(`${id} on ${where}, ${transport} transport`);
    if (model.random_weights) print(`${id} has random weights: its answers mean nothing.`);
    if (model.answers_for?.length) print(`${id} answers for ${model.answers_for.join(' and ')}.`);
  }
  if (metricsUrl !== null) print(`metrics on ${metricsUrl}`);
  for (const each of urls) print(`listening on ${each}`);
  print(`process ${process.pid}: Ctrl-C or SIGTERM stops it`);
  print(
    `try: curl ${url}/v1/decide -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${EXAMPLE}'`,
  );
}

/** A line per quarter of a model that takes its time to load. */
function progress(print: (line: string) => void): (build: CatalogBuild, fraction: number) => void {
  const shown = new Map<string, number>();
  const started = new Map<string, number>();
  return (build, fraction) => {
    const quarter = Math.floor(fraction * 4);
    const now = systemClock.monotonic();
    const since = started.get(build.id) ?? now;
    started.set(build.id, since);
    if (quarter <= (shown.get(build.id) ?? 0) || now - since < 2_000) return;
    shown.set(build.id, quarter);
    print(`loading ${build.id}: ${quarter * 25} %`);
  };
}
