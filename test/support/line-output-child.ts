// A process that logs as a server does, so many lines; says on its standard output what it holds and what it dropped.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { createErrorLog } from '../../src/telemetry/index.js';

const LINES_A_TURN = 50;
/** Long: the reader of a busy machine takes 4 MiB only in many seconds. */
const FLUSH_MS = 600_000;
const lines = Number(process.argv[2]);
const { log, output } = createErrorLog('info');
const say = (text: string) => writeSync(1, `${text}\n`);
const held = () => {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
};

gc?.();
const before = held();
for (let line = 0; line < lines; line += 1) {
  log.info({ line, filler: 'é'.repeat(50) }, 'request');
  if (line % LINES_A_TURN === 0) await turn();
}
gc?.();
say(JSON.stringify({ held: held() - before, dropped: output.dropped }));
process.stdin.once('data', async () => {
  log.info('the reader reads again');
  await output.flush(FLUSH_MS);
  say(JSON.stringify({ dropped: output.dropped }));
  process.exit();
});
