// What another caller notices of attacks that need at most a key: the latency of its live requests before, during and after
// each attack, and the memory of the server. Every attack has a server of its own, with a tiny model.
//
//   npm run bench:attacks                     6 s each
//   npm run bench:attacks -- --seconds N
//   npm run bench:attacks -- --minutes N      about so long, with fewer seconds
//   npm run bench:attacks -- --json FILE      also write {machine, attacks: [{attack, before, during, after, memory}]}
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelsFolder } from '../test/support/server.js';
import { ATTACKS } from './attacks/attacks.js';
import { Target } from './attacks/target.js';
import { type Noticed, notice } from './attacks/victim.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, table, writeJson } from './report.js';

const KEYS = 4;
/** Warm-up, before, during, after. */
const PARTS = 4;
const SAMPLE_MS = 100;
const MIB = 1_024 ** 2;

const values = benchOptions({ seconds: { type: 'string', default: '6' } });
const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const models = modelsFolder(folder);

console.log(machine());
console.log(`another caller's live requests, ms: median, 99 %, failed; the server's memory, MiB\n`);
const names = Object.keys(ATTACKS);
const pace = new Pace({ cases: names.length * PARTS, minutes: values.minutes });
const attacks: unknown[] = [];
const rows: string[][] = [];
for (const name of names) rows.push(await measure(name));
console.log(table(['attack', 'before', 'during', 'after', 'memory before', 'most during', 'after'], rows));
writeJson(values.json, { machine: machine(), attacks });

async function measure(name: string): Promise<string[]> {
  const target = await Target.start(models, KEYS);
  try {
    const ms = (part: string) => pace.seconds(`${name}, ${part}`, Number(values.seconds)) * 1_000;
    // Compiles the code once.
    await notice(target, ms('warm-up') / 3);
    const before = await notice(target, ms('before'));
    const memory = [target.memory()];
    const sampling = setInterval(() => memory.push(target.memory()), SAMPLE_MS);
    const end = await ATTACKS[name]?.(target);
    const during = await notice(target, ms('during'));
    end?.();
    clearInterval(sampling);
    const after = await notice(target, ms('after'));
    if (!target.isRunning) throw new Error(`${name}: the server has ended`);
    const sizes = { before: memory[0] as number, most: Math.max(...memory), after: target.memory() };
    attacks.push({ attack: name, before, during, after, memory: sizes });
    const mebibytes = Object.values(sizes).map((bytes) => (bytes / MIB).toFixed(0));
    return [name, ...[before, during, after].map(show), ...mebibytes];
  } finally {
    await target.stop();
  }
}

function show({ median, p99, failed, all }: Noticed): string {
  return `${showNumber(median)}, ${showNumber(p99)}, ${failed} of ${all}`;
}
