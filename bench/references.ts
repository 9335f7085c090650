// The time of the search for image references, compared with JSON.parse of the same text, which every body needs
// anyway. Then the longest delay of the main thread's event loop while the complete server answers such requests.
//
//   npm run bench:references
//   npm run bench:references -- --rounds N --seconds N --models FOLDER
//   npm run bench:references -- --minutes N       about so long, with fewer rounds and seconds
//   npm run bench:references -- --json FILE      also write {machine, cases: [{case, ms, ratio}], loop}
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../src/api/index.js';
import { ReferenceSearch } from '../src/decide/references/search.js';
import { TRANSPORTS } from './http/kinds.js';
import { sendFor } from './loop/load.js';
import { WatchedServer } from './loop/server.js';
import { benchOptions } from './options.js';
import { referencesBody, searchCases } from './references/cases.js';
import { machine, Pace, showNumber, table, writeJson } from './report.js';

const TARGET_MS = 300;
const LOOP_TARGET_MS = 20;

const values = benchOptions({
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '5' },
  models: { type: 'string', default: fileURLToPath(new URL('../../models/', import.meta.url)) },
});

/** Milliseconds. */
function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

console.log(machine());
console.log(
  `${LIMITS.referencesBytes / 1024} KiB of references, a text of ${LIMITS.bodyBytes / 2 ** 20} MiB; ms, target ${TARGET_MS}\n`,
);
const searches = searchCases(LIMITS.bodyBytes, LIMITS.referencesBytes);
const pace = new Pace({ cases: searches.length + TRANSPORTS.length, minutes: values.minutes });
const cases = searches.map(({ name, text, references }) => {
  const json = JSON.stringify(text);
  const search = new ReferenceSearch(references);
  // The shortest times: other work on the machine can only add to them.
  let [build, ms, parse] = [Infinity, Infinity, Infinity];
  for (const _ of pace.rounds(name, Number(values.rounds))) {
    build = Math.min(
      build,
      timed(() => void new ReferenceSearch(references)),
    );
    ms = Math.min(
      ms,
      timed(() => void search.find(text, LIMITS.imagesPerQuestion + 1)),
    );
    parse = Math.min(
      parse,
      timed(() => void JSON.parse(json)),
    );
  }
  return { case: name, build, ms, parse, ratio: ms / parse };
});
const rows = cases.map(({ case: name, build, ms, parse, ratio }) => [
  name,
  ...[build, ms, parse, ratio].map(showNumber),
  ms <= TARGET_MS ? '' : 'above',
]);
console.log(`${table(['text', 'build', 'search', 'JSON.parse', 'ratio', 'target'], rows)}\n`);

const body = referencesBody(LIMITS.bodyBytes);
const loop: unknown[] = [];
for (const transport of TRANSPORTS) {
  const server = await WatchedServer.start(transport, values.models);
  try {
    await sendFor(server, [[body]], 0);
    await server.delay();
    const seconds = pace.seconds(`${transport}: event loop`, Number(values.seconds));
    const answered = await sendFor(server, [[body], [body]], seconds * 1_000);
    const { p99, max } = await server.delay();
    loop.push({ transport, answered: Object.fromEntries(answered), p99, max });
    console.log(
      `${transport}: ${[...answered].map(([status, count]) => `${count} × ${status}`).join(', ')}; the event loop's longest delay ${showNumber(max)} ms, target ${LOOP_TARGET_MS}`,
    );
  } finally {
    await server.stop();
  }
}
writeJson(values.json, { machine: machine(), targetMs: TARGET_MS, cases, loop });
