// A server whose engine is simulated, in its own process; started by node.ts. It loads a tiny model, and then every wave
// takes the same time and no processor: what is left is the work of the server, the proxy and the database.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../src/base/index.js';
import { EngineThread } from '../../src/engine/index.js';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { createErrorLog } from '../../src/telemetry/index.js';

/** What the process sends once it can answer. */
export interface Started {
  readonly port: number;
  /** The token of the key that the first start on a store makes; '' at later starts. */
  readonly token: string;
}

/** Statements sent to the database since the start, by name; BEGIN and COMMIT too. */
export type Statements = Readonly<Record<string, number>>;

const waveMs = Number(process.env.WAVE_MS);
const statements: Record<string, number> = {};

const send = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [config] = args as [string | { name?: string; text?: string }];
  const name = typeof config === 'string' ? config : (config.name ?? config.text ?? '');
  statements[name] = (statements[name] ?? 0) + 1;
  return Reflect.apply(send, this, args);
} as typeof send;

const settings = loadSettings({ ...process.env, DECIDER_PORT: '0' }, undefined);
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
EngineThread.prototype.run = async ({ phases }) => {
  await sleep(waveMs);
  return phases
    .flatMap(({ streams }) => streams)
    .flatMap(({ options }) => (options === undefined ? [] : [new Float32Array(options.length)]));
};
process.on('message', () => process.send?.(statements));
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(new URL(url).port), token } satisfies Started);
