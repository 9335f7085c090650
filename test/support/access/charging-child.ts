// A process beside the test: charges a key of a data folder again and again, each time to the disk, until it is asked
// to stop.

import { systemClock } from '../../../src/base/index.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';

const [folder, token] = process.argv.slice(2) as [string, string];
const access = new FolderAccess(openStore(folder), systemClock, (error) => console.error(error));
let stopped = false;
process.stdin.once('data', () => {
  stopped = true;
});
console.log('charging');
for (let request = 0; !stopped; request += 1) {
  const caller = access.authenticate([`Bearer ${token}`]);
  const model = `m${request % 5}`;
  access.reserve(caller, { model, kind: 'live', inputTokens: 1 + (request % 7), price: 3n }).post();
  await access.flush();
}
console.log('stopped');
process.exit();
