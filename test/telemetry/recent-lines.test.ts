import { test } from 'tap';
import { createLog, LOG_LINES_KEPT, RecentLines } from '../../src/telemetry/index.js';

test(`the last ${LOG_LINES_KEPT} warnings and errors are kept; one more removes the oldest`, async (t) => {
  const recent = new RecentLines(() => 7);
  const written: string[] = [];
  const log = createLog('warn', { write: (line: string) => void written.push(line) }, recent);
  for (let number = 1; number <= LOG_LINES_KEPT; number += 1) log.error(`error ${number}`);
  t.equal(recent.lines.length, LOG_LINES_KEPT);
  t.match(recent.lines.at(-1), { number: 1, message: 'error 1' });
  log.info('not kept');
  log.warn({ err: new RangeError('secret'), requestId: 7 }, 'x'.repeat(501));
  t.equal(recent.lines.length, LOG_LINES_KEPT);
  t.match(recent.lines.at(-1), { number: 2 });
  t.strictSame(recent.lines[0], {
    number: LOG_LINES_KEPT + 1,
    at: 7,
    level: 'warn',
    message: 'x'.repeat(500),
    type: 'RangeError',
    requestId: null,
    reason: null,
  });
  log.warn({ reason: 'r'.repeat(501) }, 'why');
  t.match(recent.lines[0], { message: 'why', reason: 'r'.repeat(500) });
  t.equal(written.length, LOG_LINES_KEPT + 2, 'every line is written too');
  log.level = 'fatal';
  log.error('below the level');
  t.match(recent.lines[0], { level: 'warn' });
});
