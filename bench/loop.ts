// Whether anything blocks the main thread: the longest delay of its event loop while the complete server answers the
// largest possible bodies, a queue of small requests, and both at once. The target is 20 ms; delays include the 1 ms
// period of the measuring timer.
//
//   npm run bench:loop                        every transport that loads, the model of the clone
//   npm run bench:loop -- --seconds N --models FOLDER
//   npm run bench:loop -- --minutes N        about so long, with fewer seconds per load
//   npm run bench:loop -- --json FILE         also write {machine, cases: [{case, p99, max}]}
import { fileURLToPath } from 'node:url';
import { requestBodies } from './http/bodies.js';
import { TRANSPORTS, type TransportName } from './http/kinds.js';
import { largestText, longestInstructions, mostContainers } from './loop/bodies.js';
import { sendFor } from './loop/load.js';
import { WatchedServer } from './loop/server.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, table, writeJson } from './report.js';

const TARGET_MS = 20;
const QUEUE = 50;

const values = benchOptions({
  seconds: { type: 'string', default: '5' },
  models: { type: 'string', default: fileURLToPath(new URL('../../models/', import.meta.url)) },
});
const small = requestBodies();
const large = {
  'one text of 32 MiB': largestText(),
  '200,000 containers': mostContainers(),
  'instructions of 32 MiB': longestInstructions(),
};
/** Connections by load; each sends its requests in turn. */
const LOADS: Record<string, ReadonlyArray<readonly Buffer[]>> = {
  nothing: [],
  [`${QUEUE} small requests waiting`]: Array(QUEUE).fill(small),
  ...Object.fromEntries(Object.entries(large).map(([name, request]) => [name, [[request]]])),
  'all of it at once': [...Array(QUEUE).fill(small), ...Object.values(large).map((request) => [request])],
};

console.log(machine());
console.log(
  `at most ${values.seconds} s per load, event-loop delay of the main thread in ms, target ${TARGET_MS}\n`,
);
const pace = new Pace({ cases: TRANSPORTS.length * Object.keys(LOADS).length, minutes: values.minutes });
const cases: unknown[] = [];
for (const transport of TRANSPORTS) await benchmark(transport);
writeJson(values.json, { machine: machine(), targetMs: TARGET_MS, cases });

async function benchmark(transport: TransportName): Promise<void> {
  const server = await WatchedServer.start(transport, values.models);
  const rows: string[][] = [];
  try {
    // Warm up: compile the code once.
    for (const connections of Object.values(LOADS)) await sendFor(server, connections, 0);
    for (const [name, connections] of Object.entries(LOADS)) {
      const seconds = pace.seconds(`${transport}, ${name}`, Number(values.seconds));
      await server.delay();
      const answered = await sendFor(server, connections, seconds * 1_000);
      const { p99, max } = await server.delay();
      rows.push([
        `${transport}, ${name}`,
        [...answered].map(([status, count]) => `${count} × ${status}`).join(', '),
        showNumber(p99),
        showNumber(max),
        max <= TARGET_MS ? '' : 'above',
      ]);
      cases.push({ case: `${transport} ${name}`, answered: Object.fromEntries(answered), p99, max });
    }
  } finally {
    await server.stop();
  }
  console.log(`${table(['load', 'answered', 'p99', 'largest', 'target'], rows)}\n`);
}
