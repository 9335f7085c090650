// The complete server in its own process, with a monitor of its event loop; started by server.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createErrorLog } from '../../src/telemetry/index.js';
import { changeWorkspace } from '../../test/support/access/folder-changes.js';
import type { Delay, Listening } from './delay.js';
import { memoryNow, most } from './memory.js';

const NANOSECONDS_PER_MS = 1e6;
/** Interval of memory samples. */
const LOOK_MS = 5;

// A temporary data folder with a key whose limits never apply.
const data = mkdtempSync(join(tmpdir(), 'decider-bench-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
const settings = loadSettings({ ...process.env, DECIDER_PORT: '0', DECIDER_DATA: data }, undefined);
let token = '';
const { url } = await startServer(settings, {
  clock: systemClock,
  log: createErrorLog(settings.log.level).log,
  report: {
    notice: () => {},
    token: (made) => {
      token = made;
    },
    progress: () => {},
  },
  stop: new AbortController().signal,
});
const store = openStore(data);
changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, {
  requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
  bytesPerMinute: BYTES_PER_MINUTE_MAX,
});
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let memory = memoryNow();
setInterval(() => {
  memory = most(memory, memoryNow());
}, LOOK_MS);
process.on('message', () => {
  const [p99, max] = [delay.percentile(99), delay.max].map((value) => value / NANOSECONDS_PER_MS);
  delay.reset();
  process.send?.({ p99, max, memory: most(memory, memoryNow()) } as Delay);
  memory = memoryNow();
});
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(new URL(url).port), token } satisfies Listening);
