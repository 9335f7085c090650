import { spawnSync } from 'node:child_process';
import { fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { isJournal, levelOf, withPriority } from '../../src/base/index.js';
import { createLog } from '../../src/telemetry/index.js';

const stat = () => ({ dev: 8n, ino: 2n ** 63n });

test('a descriptor is the journal if JOURNAL_STREAM has its device and its inode', async (t) => {
  const is = (stream: string | undefined) => isJournal(2, { JOURNAL_STREAM: stream }, stat);
  t.ok(is(`8:${2n ** 63n}`));
  for (const other of [undefined, '', '8:', `9:${2n ** 63n}`, `8:${2n ** 63n + 1n}`, `8:${2n ** 63n} `])
    t.notOk(is(other), String(other));
  const closed = () => {
    throw new Error('EBADF');
  };
  t.notOk(isJournal(2, { JOURNAL_STREAM: '8:1' }, closed));
});

test('every level has a priority, in front of each line', async (t) => {
  const priorities = ['fatal', 'error', 'warn', 'info', 'debug'].map((level) =>
    withPriority(level, 'a\n  b\n'),
  );
  t.strictSame(
    priorities,
    [2, 3, 4, 6, 7].map((priority) => `<${priority}>a\n<${priority}>  b\n`),
  );
  t.equal(withPriority('', 'a\n'), '<6>a\n');
});

test('the level of a line is the name that the log writes', async (t) => {
  const levels: string[] = [];
  const log = createLog('debug', { write: (line: string) => void levels.push(levelOf(line)) });
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug'] as const) log[level]({ level: 'own' }, 'x');
  t.strictSame(levels, ['fatal', 'error', 'warn', 'info', 'debug']);
  t.equal(levelOf('{"msg":"x"}'), '');
});

test('a command that fails writes an error to the journal, and none where its output is redirected', async (t) => {
  const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
  const file = join(t.testdir({}), 'journal');
  const fail = (stream: (opened: number) => string) => {
    const opened = openSync(file, 'w');
    const env = { PATH: process.env.PATH, JOURNAL_STREAM: stream(opened), DECIDER_PORT: 'x' };
    spawnSync(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'ignore', opened] });
    return readFileSync(file, 'utf8');
  };
  const own = (opened: number) => {
    const { dev, ino } = fstatSync(opened, { bigint: true });
    return `${dev}:${ino}`;
  };
  t.match(fail(own), /^<3>DECIDER_PORT must be /);
  t.match(
    fail(() => '1:1'),
    /^DECIDER_PORT must be /,
  );
});
