// The engine against its upper bound and its nearest peer. In every round, all contestants take turns on texts that none
// of them has seen. A ratio above 1 means that this engine is faster.
//
//   ideal   plain llama_decode of as many tokens as the engine has to compute, without sharing and without threads in
//           between; no token attends further back than in the longest prompt
//   peer    node-llama-cpp's decision context with the same file and texts, in its own process; compared per unique
//           token, because its prompts differ by some tokens; our time includes planning
//   full    every question decoded with its full prompt: the first two prompts of a round are measured, and the others
//           assumed to take as long
//
//   npm run bench:engine                      a generated model of 315M parameters, q8_0
//   npm run bench:engine -- --type f16        the same model in half precision
//   npm run bench:engine -- --size 12B        random weights in the dimensions of a published model; --type q8_0 or bf16
//   npm run bench:engine -- --model FILE      a GGUF of your own
//   npm run bench:engine -- --cases a,b --rounds N --threads N --backend cpu|cuda|vulkan|metal --no-peer
//   npm run bench:engine -- --breakdown       the gap between the engine and the ideal, part by part, without a peer
//   npm run bench:engine -- --minutes N        about so long: fewer rounds, but at least one of every case
//   npm run bench:engine -- --json FILE       also write {machine, model, cases: [{case, ours, ideal, …}]}
import { usableCores } from '../src/base/index.js';
import { deviceNamed, leastSeconds } from '../src/tuning/index.js';
import { BREAKDOWN_HEAD, measureBreakdown, showBreakdown, showCounts } from './engine/breakdown.js';
import { type Case, casesNamed, describeCase, usualRounds } from './engine/cases.js';
import { measure } from './engine/measure.js';
import { benchmarkModel, largeModel, smallestModel, type WeightType } from './engine/models.js';
import { deviceOf, type Ours, openOurs, settingsOf } from './engine/ours.js';
import { Peer } from './engine/peer.js';
import { peerTokens, peerUnique } from './engine/peer-tokens.js';
import { HEAD, type Result, resultOf, showResult } from './engine/result.js';
import { textsOf } from './engine/texts.js';
import { warmUp } from './engine/warm-up.js';
import { benchOptions } from './options.js';
import { machine, Pace, table, writeJson } from './report.js';

const values = benchOptions({
  model: { type: 'string' },
  size: { type: 'string' },
  type: { type: 'string', default: 'q8_0' },
  backend: { type: 'string', default: 'auto' },
  breakdown: { type: 'boolean', default: false },
  cases: { type: 'string' },
  rounds: { type: 'string' },
  threads: { type: 'string' },
  'no-peer': { type: 'boolean', default: false },
});
const cases = casesNamed(values.cases);
const pace = new Pace({ cases: cases.length, minutes: values.minutes });
const onCpu = deviceOf(settingsOf(values.backend, 0)).device === '';
// All cores of a CPU: this process only waits while the engine computes. On a GPU, as many as a server uses.
const settings = settingsOf(values.backend, Number(values.threads ?? (onCpu ? usableCores() : 0)));
const { addon, threads } = deviceOf(settings);

const files = {
  benchmark() {
    if (values.size !== undefined) return largeModel(values.size, values.type);
    return values.model ?? benchmarkModel(values.type as WeightType, addon);
  },
  smallest: smallestModel,
};
const results: Result[] = [];
const breakdowns: unknown[] = [];
const summaries: string[] = [];
for (const model of ['benchmark', 'smallest'] as const) {
  const some = cases.filter((one) => one.model === model);
  if (some.length > 0) await runCases(files[model](), some);
}
if (results.length > 1) console.log(`\n${table(HEAD, results.map(showResult))}`);
writeJson(values.json, {
  machine: machine(),
  model: summaries.join('; '),
  command: ['npm run bench:engine --', ...process.argv.slice(2)].join(' '),
  threads,
  ...(values.breakdown ? { breakdowns } : { cases: results }),
});

async function runCases(file: string, some: readonly Case[]): Promise<void> {
  const ours = await openOurs(file, settings);
  const peer =
    values['no-peer'] || values.breakdown
      ? null
      : await openPeer(file, ours.device.gpu ? ours.backend : false);
  try {
    const { description } = ours.model;
    const size = `${Math.round(description.parameters / 1e6)}M parameters, ${Math.round(description.sizeBytes / 1e6)} MB`;
    const summary = `${description.summary} (${size})`;
    summaries.push(summary);
    const where = ours.device.gpu ? ours.device.name : `${threads} threads`;
    console.log(`${machine()}\n${summary} on ${where}; times in ms, median (min)`);
    console.log(`plain decode of ${ours.chunk} tokens: ${Math.round(await warmUp(ours, peer))} tokens/s`);
    for (const one of some) {
      if (values.breakdown) {
        await breakDown(one, ours);
        continue;
      }
      const rounds = Number(values.rounds ?? usualRounds(one));
      const tokens = peer === null ? null : peerUnique(one, await peerTokens(peer, one));
      const result = resultOf(one, await measure(one, rounds, ours, peer, pace), tokens, leastMs(one, ours));
      results.push(result);
      console.log(`\n${describeCase(one)}; ${result.rounds} rounds, ${result.load}`);
      console.log(table(HEAD, [showResult(result)]));
    }
  } finally {
    await peer?.close();
    await ours.close();
  }
}

async function breakDown(one: Case, ours: Ours): Promise<void> {
  const context = ours.openContext();
  try {
    const rounds = pace.rounds(one.name, Number(values.rounds ?? usualRounds(one)));
    const found = await measureBreakdown(one, rounds, ours, context);
    breakdowns.push({ case: one.name, ...found });
    console.log(
      `\n${one.name}: ${describeCase(one)}; ${found.rounds.length} rounds; ${showCounts(found.counts)}`,
    );
    console.log(table(BREAKDOWN_HEAD, showBreakdown(found)));
  } finally {
    context.close();
  }
}

/** The time of the roofline for one round; null if the limits of the device are unknown. */
function leastMs(one: Case, { device, model, plan }: Ours): number | null {
  const limits = device.gpu ? deviceNamed(device.name) : null;
  if (limits === null) return null;
  return leastSeconds(textsOf(one, 'roofline').map(plan), model.description, limits) * 1_000;
}

async function openPeer(file: string, gpu: string | false): Promise<Peer | null> {
  try {
    return await Peer.open(file, gpu, threads);
  } catch (error) {
    console.log(`without a peer: ${(error as Error).message}`);
    return null;
  }
}
