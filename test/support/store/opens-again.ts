// Opens and closes a data folder until its parent process ends it. Sends a message after each opening.
import { setTimeout as sleep } from 'node:timers/promises';
import { openToRead } from '../../../src/storage/folder/index.js';

const [, , folder = '', pauseMs = '0'] = process.argv;
process.on('disconnect', () => process.exit());

for (;;) {
  await openToRead(folder).close();
  process.send?.('opened');
  await sleep(Number(pauseMs));
}
