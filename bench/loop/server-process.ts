// The whole server in a process of its own, and the delay of its event loop; started by server.ts.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLog, systemClock } from '../../src/base/index.js';
import { loadSettings, startServer } from '../../src/server/index.js';
import type { Delay, Listening } from './delay.js';

const NANOSECONDS_PER_MS = 1e6;

const settings = loadSettings({ ...process.env, DECIDER_PORT: '0' }, undefined);
const { url } = await startServer(settings, {
  clock: systemClock,
  log: createLog(settings['log.level']),
  report: { notice: () => {}, progress: () => {} },
  stop: new AbortController().signal,
});
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  const [p99, max] = [delay.percentile(99), delay.max].map((value) => value / NANOSECONDS_PER_MS);
  delay.reset();
  process.send?.({ p99, max } as Delay);
});
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(new URL(url).port) } satisfies Listening);
