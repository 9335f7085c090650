// Locks a file that its holders delete, many times; while it has the lock, no other process may be in the critical
// section. Arguments: the file, the number of rounds. Prints how often two processes were in it.
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { lockFile } from '../../../src/base/index.js';

const WAIT_MS = 0.05;
const wait = new Int32Array(new SharedArrayBuffer(4));
const [file = '', rounds = '0'] = process.argv.slice(2);
let overlaps = 0;
for (let done = 0; done < Number(rounds); ) {
  closeSync(openSync(file, 'a'));
  let unlock: (() => void) | null = null;
  try {
    unlock = lockFile(file, 1);
  } catch {
    // Deleted since it was created.
  }
  if (unlock === null) {
    // The holder may need the processor.
    Atomics.wait(wait, 0, 0, WAIT_MS);
    continue;
  }
  try {
    mkdirSync(`${file}.held`);
    rmdirSync(`${file}.held`);
  } catch {
    overlaps += 1;
  }
  rmSync(file, { force: true });
  unlock();
  done += 1;
}
console.log(overlaps);
