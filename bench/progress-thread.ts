// Entry of the thread that prints a benchmark's progress.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProgressSetup, ProgressStep } from './progress.js';
import { ProgressLines } from './progress-lines.js';

/** So that no line comes later than it should by much. */
const TICKS = 10;

const setup = workerData as ProgressSetup;
const start = performance.now();
// Not process.stderr, which writes through the main thread.
const write = (line: string) => void writeSync(setup.output, line);
const lines = new ProgressLines(write, () => performance.now() - start, setup);
parentPort?.on('message', (step: ProgressStep) => lines.report(step));
setInterval(() => lines.tick(), setup.repeatMs / TICKS);
