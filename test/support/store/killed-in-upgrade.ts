// A process that upgrades a folder to the format after the present one, and is killed while a step runs: on the copy, or on the store.
import type { Store } from '../../../src/storage/folder/index.js';
import { FORMAT, serveStore } from '../../../src/storage/folder/lmdb/format.js';

const [folder, at] = process.argv.slice(2) as [string, 'copy' | 'store'];
let left = at === 'copy' ? 1 : 2;
const step = {
  from: FORMAT,
  run: (store: Store) => {
    store.table('digests').put(['steps'], '1');
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
};
serveStore(folder, () => [], { format: FORMAT + 1, steps: [step] });
