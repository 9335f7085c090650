// Started by estimate-memory.ts as a child process: measures the memory of a model with llama.cpp, without loading its
// weights.
import { readFileSync, writeSync } from 'node:fs';
import { IMAGE_BUDGETS } from '../../api/index.js';
import { closeDebugger, endWithParent } from '../../base/index.js';
import type { Addon, MemoryUse } from '../addon/addon-types.js';
import { loadAddon } from '../addon/load-addon.js';
import type { Measured, MeasureReport, MeasureTask } from './memory-types.js';

const REPORT_FD = 3;
/** The size of the image that llama.cpp measures a projector with. */
const MEASURED_IMAGE_TOKENS = 256;

closeDebugger();
endWithParent(Number(process.argv[2]));
const task: MeasureTask = JSON.parse(readFileSync(0, 'utf8'));
try {
  report({ measured: measure() });
} catch (error) {
  report({ error: (error as Error).message });
}
// Skips the libraries' destructors.
process.exit(0);

function measure(): Measured {
  const { addon } = loadAddon(task.backend);
  return {
    devices: task.devices.map((device) => ({ device, uses: usesOn(addon, device) })),
    projector: task.projector === null ? 0 : projectorBytes(addon, task.projector),
  };
}

function usesOn(addon: Addon, device: string): MemoryUse[][] {
  const options = { path: task.path, device, mapped: false, sizesOnly: true };
  const model = addon.openModel(options, () => true);
  const uses = task.contexts.map((each) => {
    const context = addon.createContext(model, each);
    const memory = context.memory();
    context.close();
    return memory;
  });
  addon.closeModel(model);
  return uses;
}

/** Intermediate results grow with the tokens of an image. */
function projectorBytes(addon: Addon, path: string): number {
  const largest = Math.max(...IMAGE_BUDGETS) / MEASURED_IMAGE_TOKENS;
  return addon.readProjectorFile(path).sizeBytes + Math.ceil(addon.projectorComputeBytes(path) * largest);
}

function report(line: MeasureReport): void {
  writeSync(REPORT_FD, `${JSON.stringify(line)}\n`);
}
