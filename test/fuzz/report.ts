import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.js';
import type { CampaignResult, Finding } from './campaign.js';
import { bytesOf } from './case.js';
import type { Memory } from './messages.js';

/** A server may hold so much more at the end than when it was warm: its threads keep the largest body they read. */
const RESIDENT_GROWTH_BYTES_MAX = 192 * 1024 * 1024;
const HELD_GROWTH_BYTES_MAX = 32 * 1024 * 1024;

/** What is wrong with the memory of the servers, a sentence each. */
export function memoryFaults({ memory }: CampaignResult): string[] {
  return memory.flatMap(({ transport, samples }) => {
    const [warm, end] = [samples[0], samples.at(-1)];
    if (warm === undefined || end === undefined) return [];
    return [
      ...growth(`${transport}: the process`, end.resident - warm.resident, RESIDENT_GROWTH_BYTES_MAX),
      ...growth(`${transport}: JavaScript`, end.held - warm.held, HELD_GROWTH_BYTES_MAX),
    ];
  });
}

const growth = (subject: string, bytes: number, max: number): string[] =>
  bytes > max ? [`${subject} grew by ${megabytes(bytes)}, more than ${megabytes(max)}`] : [];

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** The lines to print. */
export function describe(result: CampaignResult): string[] {
  const { seed, cases, requests, ms, answers, memory, findings } = result;
  const rate = (cases / (ms / 1_000)).toFixed(0);
  const sorted = [...answers].sort(([, a], [, b]) => b - a);
  return [
    `seed ${seed}: ${cases} cases, ${requests} requests in ${(ms / 1_000).toFixed(1)} s, ${rate} cases/s`,
    ...sorted.map(([answer, count]) => `  ${String(count).padStart(9)}  ${answer}`),
    ...memory.map(({ transport, samples }) => {
      const series = (of: keyof Memory) => samples.map((sample) => megabytes(sample[of])).join(', ');
      return `${transport}: warm, in the middle, at the end: process ${series('resident')}; JavaScript ${series('held')}`;
    }),
    ...memoryFaults(result),
    ...findings.map((finding) => describeFinding(seed, finding)),
  ];
}

function describeFinding(seed: number, { number, transport, wrong, reproduction, alone }: Finding): string {
  const bytes = bytesOf(reproduction);
  const folder = join(ROOT, '.tap/fuzz');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${seed}-${number}-${transport}.base64`);
  writeFileSync(file, `${bytes.toString('base64')}\n`);
  const how = alone ? 'fails alone' : 'does not fail alone';
  return `FOUND case ${number} on ${transport}: ${wrong} (${how}; ${bytes.length} bytes in ${file})`;
}
