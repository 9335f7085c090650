// Runs one part of the kit. run.sh starts it with the Node.js of the kit; docs/performance.md says how it is used.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../../../src/base/index.js';
import { Kit } from './kit.js';
import { part1 } from './part-1.js';
import { part2 } from './part-2.js';
import { part3 } from './part-3.js';
import { earlierRun, readResults, writeResults } from './results.js';
import { runSteps, type StepResult } from './steps.js';

/** Seconds of a part, from the start of run.sh. */
const PART_SECONDS = 520;
const PARTS = { '1': part1, '2': part2, '3': part3 } as const;
const RESULTS = 'gpu-kit.json';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: '' },
    kit: { type: 'string', default: '' },
    work: { type: 'string', default: '' },
    out: { type: 'string', default: '' },
    /** Seconds since 1970 at which run.sh began. */
    started: { type: 'string', default: '' },
  },
});
const part = values.part as keyof typeof PARTS;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const kit = new Kit(root, values.kit, values.work);
const startedMs = Number(values.started) * 1_000;
const file = join(values.out, RESULTS);
const files = [file, join(values.work, RESULTS)];
const before = readResults(files);
const earlier = earlierRun(before[part]);
const steps: StepResult[] = [];
const seconds = () => Math.round((systemClock.now() - startedMs) / 1_000);
/** Returns whether `OUT` has the results now. A part goes on without the copy in the folder of work, which may be full. */
const write = () => {
  const faults = writeResults(files, {
    kit: { ...kit.description },
    parts: {
      ...before,
      [part]: {
        started_at: new Date(startedMs).toISOString(),
        seconds: seconds(),
        steps,
        ...(earlier && { earlier }),
      },
    },
  });
  for (const { message } of faults) console.error(message);
  return faults.every((fault) => fault.file !== file);
};

if (!write()) process.exit(1);
// The commands of a step are process groups of their own: they would go on, and disturb the next part.
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
await runSteps(PARTS[part](kit), {
  ms: startedMs + PART_SECONDS * 1_000 - systemClock.now(),
  clock: systemClock,
  interrupted: interrupt.signal,
  onStart: ({ name }, limitMs) =>
    console.log(`${seconds()} s: ${name} (at most ${Math.round(limitMs / 1_000)} s)`),
  onEnd(result) {
    steps.push(result);
    write();
    console.log(`${seconds()} s: ${result.name}: ${result.status}${result.error ? `: ${result.error}` : ''}`);
  },
});
const isWritten = write();
if (isWritten) console.log(`${seconds()} s: the results are in ${file}`);
process.exit(isWritten && steps.every(({ status }) => status === 'ok') ? 0 : 1);
