// Started by probe-backend.ts as a child process: opens a model on one backend, measures, and reports the result.
import { readFileSync, writeSync } from 'node:fs';
import { closeDebugger, endWithParent, systemClock } from '../../base/index.js';
import { loadAddon, openModel } from '../../engine/index.js';
import { COMPARED_MIN, fixedPlans } from '../numerics/fixed-prompts.js';
import { measureDevice, measureReference } from '../numerics/measure-answers.js';
import { openProbe, type Probe } from '../probe.js';
import { measureSpeed } from '../speed/measure-speed.js';
import type { ProbeResults, ProbeTask, ProbeWork } from './probe-messages.js';

const REPORT_FD = 3;

closeDebugger();
endWithParent(Number(process.argv[2]));
const { backend, build, work, ...place }: ProbeTask = JSON.parse(readFileSync(0, 'utf8'));
try {
  const { addon } = loadAddon(backend);
  const probe = openProbe(addon, openModel(addon, place.device, build), place);
  report({ result: measure(probe, work) });
} catch (error) {
  report({ error: (error as Error).message });
}
// Skips the libraries' destructors.
process.exit(0);

function measure(probe: Probe, asked: ProbeWork): ProbeResults[ProbeWork['kind']] {
  switch (asked.kind) {
    case 'reference': {
      const plans = fixedPlans(probe.model, asked.prompts, asked.count);
      return measureReference(probe, plans, { least: COMPARED_MIN, ms: asked.ms, clock: systemClock });
    }
    case 'answers':
      return measureDevice(probe, asked.count);
    case 'speed':
      return measureSpeed(probe, asked.ms, systemClock);
  }
}

/** One line of JSON, in which arrays of numbers are lists; NaN is null. */
function report(line: object): void {
  const text = JSON.stringify(line, (_, value) => (value instanceof Float32Array ? [...value] : value));
  for (let bytes = Buffer.from(`${text}\n`); bytes.length > 0; ) {
    bytes = bytes.subarray(writeSync(REPORT_FD, bytes));
  }
}
