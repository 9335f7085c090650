// Run as a child process by choose-backend.ts: reports what one backend finds, as JSON on file descriptor 3.
import { writeSync } from 'node:fs';
import { type Backend, libraries } from '#native/platform.mjs';
import { closeDebugger } from '../../base/index.js';
import type { Probed } from './addon-types.js';
import { loadAddon } from './load-addon.js';
import { missingLibrary } from './missing-library.js';

const REPORT_FD = 3;

closeDebugger();
const backend = process.argv[2] as Backend;
writeSync(REPORT_FD, `${JSON.stringify(probe())}\n`);

function probe(): Probed {
  try {
    const { devices } = loadAddon(backend);
    const found = devices.some(({ gpu }) => gpu);
    return { devices, failure: found ? null : missingLibrary(backend, libraries(backend) as string) };
  } catch (error) {
    return { devices: [], failure: (error as Error).message };
  }
}
