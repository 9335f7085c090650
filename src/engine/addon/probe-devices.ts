// Run as a child process by choose.ts: prints the devices that one backend finds, as JSON.
import type { Backend } from '#native/platform.mjs';
import { loadAddon } from './load-addon.js';

const { devices } = loadAddon(process.argv[2] as Backend);
process.stdout.write(JSON.stringify(devices));
