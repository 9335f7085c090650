import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'tap';
import { facts, table } from '../../src/cli/text-table.js';
import { run } from '../support/cli.js';
import type { Owner } from '../support/owner.js';
import { sources } from '../support/sources.js';

/** What may write to a terminal: these escape, or write text of their own, or data that is not for people. */
const WRITERS = {
  'src/cli/output.ts': 'escapes',
  'src/cli/program.ts': 'the completion script',
  'src/cli/invoice.ts': 'CSV',
  'src/cli/usage.ts': 'CSV',
  'src/cli/systemd.ts': 'a unit file',
  'src/cli/batch-from-cases.ts': 'the lines of a batch',
  'src/cli/eval.ts': 'a fixed sentence',
};

test('only these files write to standard output or standard error themselves', async (t) => {
  const found = sources('src')
    .filter(({ text }) => /process\.std(out|err)\.write\(|console\.(log|error|warn|info)\(/.test(text))
    .map(({ path }) => path);
  t.strictSame(found.filter((file) => !file.startsWith('src/console/')).sort(), Object.keys(WRITERS).sort());
});

const HOSTILE = 'a\u001b[2J\u009b31m\u202eb\r\nc\u0007';
const RAW = /(?!\n)[\p{Cc}\u202a-\u202e]/u;

test('cells and facts are one line each, and columns stay aligned', async (t) => {
  const lines = table(
    ['name', 'n'],
    [
      [HOSTILE, '1'],
      ['plain', '22'],
    ],
    ['n'],
  ).split('\n');
  t.equal(lines.length, 3);
  t.notMatch(lines.join(''), RAW);
  t.strictSame(new Set(lines.map((line) => line.length)).size, 1);
  t.notMatch(facts({ [HOSTILE.slice(0, 1)]: HOSTILE }), /\p{Cc}/u);
});

async function hostileServer(t: Owner, status: number, value: unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const batch = {
  ...{ id: HOSTILE, status: HOSTILE, lines: 1, counts: { done: 0, failed: 0 }, created_at: HOSTILE },
  [HOSTILE]: HOSTILE,
};

test('what a hostile server sends never reaches the terminal raw', async (t) => {
  const { stdout: empty } = await run(t, [
    'batches',
    'list',
    '--token',
    'x',
    '--json',
    '--url',
    await hostileServer(t, 200, { data: [], has_more: false }),
  ]);
  t.equal(empty, '[]');
  const replies: Array<[string[], number, unknown]> = [
    [['list'], 200, { data: [batch], has_more: false }],
    [['list', '--json'], 200, { data: [batch], has_more: false }],
    [['show', 'b'], 200, batch],
    [['show', 'b', '--json'], 200, batch],
    [['show', 'b'], 400, { error: HOSTILE, type: HOSTILE, errors: [] }],
    [['cancel', 'b'], 500, HOSTILE],
  ];
  for (const [args, status, value] of replies) {
    const url = await hostileServer(t, status, value);
    const { stdout, stderr } = await run(t, ['batches', ...args, '--token', 'x', '--url', url]);
    t.notMatch(stdout + stderr, RAW, args.join(' '));
    if (status !== 200) t.equal(stderr.trimEnd().split('\n').length, 1, 'an error is one line');
    if (args.includes('--json'))
      t.match(JSON.stringify(JSON.parse(stdout)), JSON.stringify(batch), 'the values are unchanged');
  }
  const url = await hostileServer(t, 400, { error: HOSTILE, type: HOSTILE });
  const { stderr } = await run(t, ['load', url, '--token', 'x', '--rates', '1']);
  t.notMatch(stderr, RAW);
  t.notMatch((await run(t, [HOSTILE])).stderr, RAW);
});
