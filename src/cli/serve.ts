import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { Interrupted, StartError, systemClock, visible } from '../base/index.js';
import type { CatalogBuild } from '../engine/index.js';
import { type Server, startServer } from '../server/index.js';
import { openSecrets, serviceLinksNotice, settingsReader } from '../settings/index.js';
import { createErrorLog, LineOutput, RecentLines } from '../telemetry/index.js';
import { logLines } from './log-lines.js';
import { fail } from './output.js';
import { Rekeys } from './rekeys.js';
import { Reloads } from './reloads.js';
import { onReloadSignals, onStopSignals } from './signals.js';
import { notifySystemd } from './systemd.js';

const EXAMPLE = JSON.stringify({
  state: 'My card was charged twice!',
  questions: {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
  },
});

/** The status of a server that must be restarted, because a thread does not end its work (EX_SOFTWARE). */
export const STUCK = 70;
/** How long such a server waits for the requests in flight. */
const STUCK_MS_MAX = 10_000;

/** A signal to the whole service that has ended a child process of a start reaches this process within this. */
const SAME_SIGNAL_MS = 1_000;
/** How long a stopping server waits for readers of its output and its log. */
const FLUSH_MS_MAX = 500;

/**
 * `decider serve`: runs the server in this process until a signal. The first SIGTERM or SIGINT aborts a start, or
 * drains a running server, and exits with status 0. A second one exits at once with status 1. If an engine thread does
 * not end its work, the server exits with status 70.
 */
export async function serve(config: string | undefined): Promise<void> {
  // The reader of standard output may be gone; the server keeps answering.
  const printed = new LineOutput(1);
  const print = (line: string) => printed.write(`${visible(line)}\n`);
  const outputs = [printed];
  const ending = new AbortController();
  let server: Server | undefined;
  let reloads: Reloads;
  let rekeys: Rekeys;
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
    const read = settingsReader(process.env, config);
    const settings = read();
    const links = serviceLinksNotice(process.env);
    if (links !== null) print(links);
    const open = openSecrets(process.env, config);
    if (open !== null) print(`warning: ${open.detail} ${open.remedy}`);
    const recentLines = new RecentLines(systemClock.now);
    const { log, output } = createErrorLog(settings.log.level, recentLines, logLines(settings.log.format));
    outputs.push(output);
    const report = {
      notice: print,
      token: (made: string) => {
        print(`token: ${made}`);
        token = made;
      },
      progress: loadProgress(print, systemClock.monotonic),
    };
    reloads = new Reloads({ read, folder: settings.data, print, log });
    rekeys = new Rekeys({ folder: settings.data, print, log });
    const [reloading, rekeying] = [reloads, rekeys];
    onReloadSignals(
      () => void reloading.run(),
      () => rekeying.run(),
      isatty(0),
    );
    server = await startServer(settings, {
      clock: systemClock,
      log,
      logLinesDropped: () => output.dropped,
      recentLines,
      report,
      stop: ending.signal,
    });
  } catch (error) {
    if (error instanceof Interrupted && !ending.signal.aborted)
      await Promise.race([once(ending.signal, 'abort'), sleep(SAME_SIGNAL_MS)]);
    if (ending.signal.aborted) process.exit(0);
    // Nothing has asked this process to stop, so a service manager must start it again.
    fail(error instanceof Interrupted ? new StartError(error.message) : error);
  }
  const tellSystemd = async (state: string) => {
    const failure = await notifySystemd(state);
    if (failure !== null) print(failure);
  };
  rekeys.begin(server);
  // Last: from now on commands find the server.
  reloads.begin(server);
  introduce(server, token, print);
  void tellSystemd('READY=1');
  const signalled = ending.signal.aborted ? Promise.resolve() : once(ending.signal, 'abort');
  const flush = () => Promise.all(outputs.map((output) => output.flush(FLUSH_MS_MAX)));
  const failure = await Promise.race([signalled.then(() => null), server.failed]);
  if (failure !== null) return endStuck(server, failure, print, flush);
  print('draining');
  void tellSystemd('STOPPING=1');
  rekeys.end();
  reloads.end();
  try {
    const failedMeanwhile = await Promise.race([server.stop().then(() => null), server.failed]);
    if (failedMeanwhile !== null) return await endStuck(server, failedMeanwhile, print, flush);
  } catch (error) {
    fail(error);
  }
  await flush();
  process.exit(0);
}

/** Ends the process although a thread does not end its work. */
async function endStuck(
  server: Server,
  reason: string,
  print: (line: string) => void,
  flush: () => Promise<unknown>,
): Promise<never> {
  print(`ending with status ${STUCK} to be restarted: ${reason}`);
  await Promise.race([server.stop().catch(() => {}), sleep(STUCK_MS_MAX)]);
  await flush();
  return server.engines.exit(STUCK);
}

function introduce(
  { url, urls, hasConsole, operatorUrl, transport, engines }: Server,
  token: string,
  print: (line: string) => void,
): void {
  for (const build of engines.catalog.builds) {
    const { id, model } = build;
    const devices = engines.devicesOf(build);
    const where = devices[0] === '' ? 'CPU' : `${devices.join(', ')} (${engines.backend})`;
    print(`${id} on ${where}, ${transport} transport`);
    if (model.random_weights) print(`${id} has random weights: its answers mean nothing.`);
    if (model.domain !== undefined) print(`${id} is trained only for ${model.domain}.`);
    if (model.answers_for?.length) print(`${id} answers for ${model.answers_for.join(' and ')}.`);
  }
  if (operatorUrl !== null) print(`operator listener on ${operatorUrl}`);
  for (const each of urls) print(`listening on ${each}`);
  if (hasConsole) print(`console: ${url}/console`);
  print(`process ${process.pid}: Ctrl-C or SIGTERM stops it`);
  print(
    `try: curl ${url}/v1/decide -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${EXAMPLE}'`,
  );
}

/** Models that load in less time are not announced. */
export const ANNOUNCED_MS_MIN = 2_000;

/**
 * Prints a line per quarter of a build that takes long to load. A build that is loaded again, as another entry of a
 * manifest, is announced again.
 *
 * @param now in milliseconds, monotonic
 */
export function loadProgress(
  print: (line: string) => void,
  now: () => number,
): (build: CatalogBuild, fraction: number) => void {
  const loads = new WeakMap<CatalogBuild, { readonly since: number; shown: number }>();
  return (build, fraction) => {
    const load = loads.get(build) ?? { since: now(), shown: 0 };
    loads.set(build, load);
    const quarter = Math.floor(fraction * 4);
    if (quarter <= load.shown || now() - load.since < ANNOUNCED_MS_MIN) return;
    load.shown = quarter;
    print(`loading ${build.id}: ${quarter * 25} %`);
  };
}
