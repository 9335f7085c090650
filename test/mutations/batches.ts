import type { Mutation } from './contract.js';

type Change = readonly [test: string, rule: string, from: string, to: string];

const inFile = (file: string, ...changes: readonly Change[]) =>
  changes.map(
    ([test, rule, from, to]): Mutation => ({
      rule,
      file,
      from,
      to,
      test: test.startsWith('storage/') ? test : `batch/${test}`,
    }),
  );

/** Every one of these must be noticed by the test it names: `npm run mutations -- --of batches` shows it. */
export const BATCH_MUTATIONS: readonly Mutation[] = [
  ...inFile(
    'batch/lifecycle/apply.ts',
    ['runner/stop', '2.6 counts', 'failed: batch.lines - batch.done,', 'failed: batch.failed,'],
    ['lifecycle', '3 deletion', 'collected + KEPT_COLLECTED_MS', 'collected + KEPT_FINISHED_MS'],
    ['runner/stop', '7.3 cancelled', "if (batch.state === 'cancelled')", 'if (false)'],
    [
      'storage/folder/batches/model',
      '5 rule 7',
      "reason: next === 'ending' ? 'key_revoked' : null",
      'reason: null',
    ],
  ),
  ...inFile(
    'batch/lifecycle/batch-transitions.ts',
    [
      'storage/folder/batches/model',
      '3 transition window ends',
      "expiring: 'running',",
      "expiring: 'failed',",
    ],
    ['runner/stop', '3 transition cancel open', "cancelling: 'cancelled',", "cancelling: 'running',"],
  ),
  ...inFile(
    'batch/runner/line-outcome.ts',
    ['runner/retry', '8 limit line retry', 'TRIES_MAX = 5', 'TRIES_MAX = 6'],
    ['runner/retry', '3 tries', '2 ** (tries - 1)', '2 ** tries'],
    ['runner/retry', '3 tries', "'model_unavailable', ", ''],
  ),
  ...inFile(
    'batch/runner/line-runner.ts',
    ['runner/store', '8 rule 2', 'reservation.post();', ''],
    ['runner/credit', '5 rule 6', 'release: () => reservation.release(),', 'release: () => {},'],
    [
      'runner/task-lines',
      '7.3 task_not_found',
      'this.giveUp(open, line, TASK_DELETED)',
      'this.failed(open, line, error)',
    ],
    [
      'runner/task-lines',
      '2.5 version of a task',
      '...about.asked, model }',
      '...about.asked, version: about.task.version, model }',
    ],
    ['runner/credit', '3 transition key paused', 'open.putBack(line, memory);', '{}'],
    ['runner/turns', 'live first', "urgency: 'batch'", "urgency: 'live'"],
  ),
  ...inFile(
    'storage/folder/batches/progress.ts',
    ['runner/stop', '3 transition cancel open', 'if (open.inProgress > 0 || isFinished', 'if (isFinished'],
    ['storage/folder/batches/model', '5 rule 7', '?.hasEnded !== false', ' === undefined'],
  ),
  ...inFile(
    'batch/runner/runner.ts',
    ['runner/credit', '3 transition cancel open', 'this.funds.ended(open);', ''],
    ['runner/read-ahead', 'memory', 'open.end(this.memory);', ''],
    ['runner/store', 'disk full', '!access.writable', 'false'],
    ['storage/folder/batches/model', '5 rule 6', 'return this.funds.covers(caller);', 'return true;'],
    [
      'storage/folder/batches/clock-glitches',
      'doubtful key',
      'caller?.works !== true',
      'caller === undefined',
    ],
    ['runner/store', '5 rule 9', 'if (!this.mayUse(open, line.model)) return WITHDRAWN;', ''],
  ),
  ...inFile(
    'batch/runner/funds.ts',
    ['runner/credit', '5 rule 6', 'if (reservation === null)', 'if (false)'],
    ['runner/credit', '3 transition key paused', '!this.access.covers(caller, line.charge)', 'false'],
    ['runner/credit', '5 rule 9', 'this.mayStart(line) && ', ''],
  ),
  ...inFile('storage/folder/ledger/account.ts', [
    'runner/credit',
    '5 rule 6',
    'this.reserved += amount;',
    '',
  ]),
  ...inFile(
    'batch/runner/deadline.ts',
    ['runner/stop', '3 transition window ends', 'clock.monotonic() >= this.end', 'false'],
    [
      'storage/folder/batches/clock-glitches',
      '3 transition window ends',
      'clock.certainFor() < JUMP_LASTS_MS) return false',
      'false) return false',
    ],
  ),
  ...inFile(
    'batch/runner/queue.ts',
    ['runner/waves', 'one wave', 'SHARED_TURN_LINES_MAX = 64', 'SHARED_TURN_LINES_MAX = 1'],
    ['runner/turns', 'turns', 'if (this.turns.delete(key))', 'if (false)'],
    ['runner/queue', 'walk', 'if (rests)', 'if (false)'],
  ),
  ...inFile(
    'batch/reading/order.ts',
    ['runner/waves', 'one wave', '{ ...line, sharesState: at > 0 }', '{ ...line, sharesState: false }'],
    ['runner/waves', 'every line', 'groups.get(name)', 'undefined'],
    ['runner/turns', 'one wave', '{model} ', '{1} '],
  ),
  ...inFile(
    'batch/runner/open-batch.ts',
    ['runner/read-ahead', 'once', 'this.lines[index] = TAKEN;', ''],
    ['runner/retry', 'retry', 'body: ownBody(body)', 'body: new Uint8Array(body)'],
    ['runner/retry', 'memory', 'RETRYING_MAX = 256', 'RETRYING_MAX = 1_000'],
    ['runner/credit', '3 transition key paused', 'this.lines[index] = WAITS;', ''],
  ),
  ...inFile('batch/runner/read-ahead.ts', [
    'runner/read-ahead',
    'memory',
    'this.held < READ_AHEAD_BYTES',
    'true',
  ]),
  ...inFile(
    'storage/folder/batches/work-buffer.ts',
    ['runner/store', 'disk full', 'this.writes = [...writes, ...this.writes];', ''],
    ['runner/store', 'disk full', 'lost: () => {', 'lost: () => { if (writes.length > 0) return;'],
  ),
  ...inFile('api/limits.ts', [
    'ingest/check-file',
    '2.5 custom_id',
    'LIMITS.customIdCharacters}}',
    'LIMITS.customIdCharacters + 1}}',
  ]),
  ...inFile(
    'batch/ingest/check-batch-line.ts',
    ['ingest/check-file', '2.5 model', "&& model !== ''", ''],
    ['ingest/task-lines', '2.5 task', 'refuseOwnQuestions(fields);', ''],
    ['ingest/task-lines', '8 limit batch searches', 'tasks.noteSearch(task)', '{}'],
    ['ingest/check-file', '4.6 rule 2', 'images.length === 0', 'true'],
  ),
  ...inFile('batch/ingest/check-batch-file.ts', [
    'ingest/check-file',
    '2.5 custom_id',
    'seen.set(customId, number);',
    '',
  ]),
  {
    rule: '4.6 rule 1',
    file: 'base/lines.ts',
    from: 'if (!isBlank(bytes))',
    to: 'if (true)',
    test: 'base/lines',
  },
  ...inFile('batch/ingest/cut-file.ts', ['runner/store', '4.6 results', '[at, lines];', '[at, first + 1];']),
  ...inFile(
    'batch/ingest/ingest.ts',
    ['ingest/help', '2.5 custom_id', 'if (seen.has(customId))', 'if (false)'],
    ['ingest/help', '4.6 results', '.sort((one, other) => one.number - other.number)', ''],
  ),
  ...inFile('batch/ingest/check-chunks.ts', [
    'ingest/help',
    '4.6 rule 2',
    'Atomics.store(next, 0, cuts.length);',
    '',
  ]),
  ...inFile(
    'api/limits.ts',
    ['ingest/check-file', '8 limit lines per batch', 'batchLines: 50_000,', 'batchLines: 50_001,'],
    ['ingest/check-file', '8 limit listed failures', 'batchErrors: 100,', 'batchErrors: 101,'],
    ['submit', '8 limit open batches', 'batchesOpen: 10,', 'batchesOpen: 11,'],
  ),
  ...inFile('storage/folder/batches/batch-store.ts', [
    'submit',
    '8 limit open batches',
    '(this.writing.get(key) ?? 0) < ',
    '0 < ',
  ]),
  ...inFile('batch/draft.ts', ['submit', '5 rule 3', '?.works !== true', ' === undefined']),
  ...inFile('batch/submit.ts', ['submit', '4.6 rule 8', 'before.then(', 'Promise.resolve().then(']),
  ...inFile(
    'batch/result-line.ts',
    ['runner/retry', '2.7 usage', 'usageJson(0, 0)', 'usageJson(0, 1)'],
    ['runner/retry', '2.7 status', 'status, error: {', 'status: null, error: {'],
  ),
  ...inFile('storage/folder/batches/reading/reader.ts', [
    'storage/folder/batches/reading/reader',
    'turns',
    'const ONE = { key: 1, workspace: 1, all: 1 };',
    'const ONE = { key: 9, workspace: 9, all: 9 };',
  ]),
  ...inFile('batch/reading/list-answer.ts', [
    'storage/folder/batches/reading/list',
    '4.6 rule 9',
    'objects.length === count',
    'false',
  ]),
  ...inFile('storage/folder/batches/reading/reader.ts', [
    'storage/folder/batches/reading/results',
    '3 deletion',
    'sealed.checkExists();',
    '',
  ]),
  ...inFile('batch/reading/results-piece.ts', [
    'runner/store',
    '4.6 results',
    'resultOf(first + line)',
    'resultOf(line)',
  ]),
  ...inFile(
    'storage/folder/batches/deletion.ts',
    ['storage/folder/batches/deletion', '3 deletion', "store.table('data_keys').write([id], null),", ''],
    ['storage/folder/batches/deletion', '3 deletion', '{ ...batch, deleted: true }', 'batch'],
    ['storage/folder/batches/clock-glitches', '3 deletion', ' && times.jumps === jumps', ''],
    ['storage/folder/batches/erasures', '3 deletion', ' && !this.parts.isOpen(value.id)', ''],
  ),
  ...inFile('storage/folder/batches/batches.ts', [
    'storage/folder/batches/deletion',
    '3 deletion',
    'batch.collected !== null',
    'false',
  ]),
  ...inFile(
    'storage/folder/batches/times.ts',
    ['storage/folder/batches/clock-glitches', '3 deletion', 'fresh.add(nameOf(name));', '{}'],
    [
      'storage/folder/batches/clock-glitches',
      '4.6 rule 8',
      'await this.store.write([]).catch(() => {});',
      '',
    ],
  ),
  ...inFile(
    'batch/callbacks.ts',
    ['callbacks', '6 rule 3', 'webhook.attempts + 1', 'webhook.attempts'],
    ['callbacks', '6 rule 3', 'if (this.counts.exceededBy(owner, 1) !== null)', 'if (false)'],
    ['callbacks', '6 rule 3', 'this.counts.add(owner, -1);', ''],
    ['callbacks', '6 rule 3', "outcome === 'delivered' ? null : ", ''],
    ['callbacks', '2.6 webhook_delivery', 'called: { outcome }', "called: { outcome: 'delivered' }"],
    ['runner/store', '6 event', 'await this.parts.batches.written();', ''],
  ),
];
