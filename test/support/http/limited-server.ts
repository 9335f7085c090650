// A server of its own process, started under a limit of open files by test/http/keep-alive.test.ts. Prints its port.
import { systemClock } from '../../../src/base/index.js';
import { startHttp } from '../../../src/http/index.js';
import { fakeApp, fakeCaller } from './fake-app.js';

const { port } = await startHttp({
  transport: 'node',
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  app: fakeApp(() => fakeCaller()),
  onAccess: () => {},
  onUnexpected: () => {},
});
console.log(port);
