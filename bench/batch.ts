// The batch interface against its upper bounds, within one run.
//
//   submit    checking and storing 50,000 lines (30 MB), against one JSON.parse of the file and one durable write of its
//             size; target 2.0. Also the longest delay of the server's event loop (target 20 ms) and the server's
//             memory in multiples of the body (target 6), without mapped pages of the database file.
//   download  the results of 50,000 lines, and the growth of the server's memory meanwhile
//   tokens    tokens per second of 1 and of 10 concurrent batches, against the engine alone with the same plans; lines of
//             60 to 400 tokens; target 0.97
//   latency   the median of live requests beside a batch, against an idle server and half a wave
//
//   npm run bench:batch                       all parts, with the model of bench:engine
//   npm run bench:batch -- --parts submit,download --rounds N --lines N
//   npm run bench:batch -- --model FILE --backend cpu|cuda|vulkan|metal --transport uws|node
//   npm run bench:batch -- --minutes N        about so long, with fewer rounds; files and latency are not shortened
//   npm run bench:batch -- --json FILE        also write {machine, …}
import { loadavg } from 'node:os';
import { usableCores } from '../src/base/index.js';
import { measureDownload } from './batch/download.js';
import { wordsFile } from './batch/files.js';
import { measureLatency } from './batch/latency.js';
import { MODEL, modelsFolder } from './batch/models.js';
import { measureSubmit } from './batch/submit.js';
import { measureThroughput } from './batch/throughput.js';
import { benchmarkModel, smallestModel } from './engine/models.js';
import { deviceOf, openOurs, settingsOf } from './engine/ours.js';
import { warmUp } from './engine/warm-up.js';
import type { TransportName } from './http/kinds.js';
import { WatchedServer } from './loop/server.js';
import { benchOptions } from './options.js';
import { machine, Pace, quantile, showNumber, table, writeJson } from './report.js';

const FILE_LINES = 50_000;
const FILE_BYTES = 30_000_000;
const DOWNLOAD_LINE_BYTES = 200;
const LIVE_REQUESTS = 11;
const BATCH_COUNTS = [1, 10];

const values = benchOptions({
  parts: { type: 'string', default: 'submit,download,tokens,latency' },
  model: { type: 'string' },
  backend: { type: 'string', default: 'auto' },
  transport: { type: 'string', default: 'uws' },
  rounds: { type: 'string', default: '3' },
  lines: { type: 'string', default: '40' },
});
const parts = new Set(values.parts.split(','));
const rounds = Number(values.rounds);
const cases = parts.size + (parts.has('tokens') ? BATCH_COUNTS.length - 1 : 0);
const pace = new Pace({ cases, minutes: values.minutes });
const found: Record<string, unknown> = {};
const load = () => `load ${loadavg()[0]?.toFixed(1)}`;

console.log(machine());
if (parts.has('submit') || parts.has('download')) {
  await withServer(await modelsFolder(smallestModel()), {}, async (server) => {
    if (parts.has('submit')) await submit(server);
    if (parts.has('download')) await download(server);
  });
}
if (parts.has('tokens') || parts.has('latency')) await engineParts();
writeJson(values.json, { machine: machine(), ...found });

async function submit(server: WatchedServer): Promise<void> {
  const file = wordsFile(MODEL, FILE_LINES, FILE_BYTES);
  const result = await measureSubmit(server, file, rounds, pace);
  found.submit = result;
  const middle = (name: 'ours' | 'parse' | 'write') =>
    showNumber(
      quantile(
        result.rounds.map((round) => round[name]),
        0.5,
      ),
    );
  console.log(`\nsubmit of ${FILE_LINES} lines, ${showNumber(file.length / 1e6)} MB; ${load()}`);
  console.log(
    table(
      ['ours ms', 'parse', 'write', 'ratio', 'pause ms', 'memory in bodies: first', 'all', 'mapped files'],
      [
        [
          middle('ours'),
          middle('parse'),
          middle('write'),
          showNumber(result.ratio),
          showNumber(result.pauseMs),
          showNumber(result.bodies.first),
          showNumber(result.bodies.all),
          showNumber(result.bodies.mapped),
        ],
      ],
    ),
  );
}

async function download(server: WatchedServer): Promise<void> {
  pace.begins('download');
  const result = await measureDownload(
    server,
    wordsFile(MODEL, FILE_LINES, FILE_LINES * DOWNLOAD_LINE_BYTES),
  );
  found.download = result;
  console.log(`\nresults of ${result.lines} lines, ${showNumber(result.bytes / 1e6)} MB; ${load()}`);
  console.log(
    table(
      ['ms', 'memory MB', 'pause ms'],
      [[showNumber(result.ms), showNumber(result.grown / 1e6), showNumber(result.pauseMs)]],
    ),
  );
}

async function engineParts(): Promise<void> {
  // The server's default: the remaining cores are for its own work.
  const threads = Math.max(1, usableCores() - 1);
  const settings = settingsOf(values.backend, threads);
  const { addon, bounds } = deviceOf(settings);
  const file = values.model ?? benchmarkModel('q8_0', addon);
  const ours = await openOurs(file, settings);
  try {
    const tokensPerSecond = await warmUp(ours, null);
    console.log(`\n${ours.model.description.summary}; plain decode: ${Math.round(tokensPerSecond)} tokens/s`);
    const own = { DECIDER_ENGINE_BACKEND: values.backend, DECIDER_ENGINE_THREADS: String(threads) };
    await withServer(await modelsFolder(file), own, async (server) => {
      if (parts.has('tokens')) {
        const lines = Number(values.lines);
        const results = [];
        for (const batches of BATCH_COUNTS) {
          results.push(await measureThroughput(server, ours, { lines, batches, rounds }, pace));
        }
        found.tokens = results;
        console.log(`\n${lines} lines, tokens per second; ${load()}`);
        const rows = results.map(({ batches, engine, batch, ratio }) =>
          [batches, showNumber(engine), showNumber(batch), showNumber(ratio)].map(String),
        );
        console.log(table(['batches', 'engine', 'batch', 'ratio'], rows));
      }
      if (parts.has('latency')) {
        const waveMs = (bounds.waveTokens / tokensPerSecond) * 1_000;
        const result = await measureLatency(server, { requests: LIVE_REQUESTS, waveMs }, pace);
        found.latency = result;
        console.log(`\nlive requests, median ms; ${load()}`);
        const cells = [result.idle, result.busy, result.halfWave, result.busy - result.idle];
        console.log(table(['idle', 'beside a batch', 'half a wave', 'more'], [cells.map(showNumber)]));
      }
    });
  } finally {
    await ours.close();
  }
}

async function withServer(
  models: string,
  settings: Readonly<Record<string, string>>,
  measure: (server: WatchedServer) => Promise<void>,
): Promise<void> {
  const server = await WatchedServer.start(values.transport as TransportName, models, settings);
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
}
