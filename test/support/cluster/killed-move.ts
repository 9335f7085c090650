// A process that moves data and is killed when it first reports a step of a table.

import { Database } from '../../../src/storage/database/index.js';
import { moveToDatabase } from '../../../src/storage/move/to-database.js';
import { moveToFolder } from '../../../src/storage/move/to-folder.js';

const [to, folder, url, key, at] = process.argv.slice(2) as [string, string, string, string, string];
const database = new Database({ url, connections: 1, ca: '' });
const move = to === 'database' ? moveToDatabase : moveToFolder;
await move({ folder, database, masterKey: Buffer.from(key, 'hex') }, (step, table) => {
  if (`${step} ${table}` === at) process.kill(process.pid, 'SIGKILL');
});
