// A server of its own process, started under a limit of open files or of memory. Prints its port. Decisions never end.
import { systemClock } from '../../../src/base/index.js';
import { startHttp } from '../../../src/http/index.js';
import { fakeApp, fakeCaller } from './fake-app.js';

const { port } = await startHttp({
  transport: process.argv[2] === 'uws' ? 'uws' : 'node',
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  app: fakeApp(() => fakeCaller({ decide: () => new Promise(() => {}) })),
  onAccess: () => {},
  onUnexpected: () => {},
});
console.log(port);
