// Locks a file that its holders delete, many times; while it has the lock, no other process may be in the critical
// section. Arguments: the file, the number of rounds. Prints how often two processes were in it.
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { lockFile } from '../../../src/base/index.js';

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
  if (unlock === null) continue;
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
