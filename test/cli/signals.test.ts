import { EventEmitter } from 'node:events';
import { test } from 'tap';
import { onStopSignals } from '../../src/cli/signals.js';

function play(...events: readonly (readonly [at: number, signal: 'SIGINT' | 'SIGTERM'])[]): string[] {
  const calls: string[] = [];
  const signals = new EventEmitter();
  let now = 0;
  onStopSignals(
    () => calls.push(`stop at ${now}`),
    () => calls.push(`now at ${now}`),
    { monotonic: () => now },
    signals,
  );
  for (const [at, signal] of events) {
    now = at;
    signals.emit(signal);
  }
  return calls;
}

test('signals: the first one stops, the second one stops at once', async (t) => {
  t.strictSame(play([0, 'SIGTERM'], [1, 'SIGTERM']), ['stop at 0', 'now at 1']);
  t.strictSame(play([0, 'SIGINT'], [1, 'SIGTERM']), ['stop at 0', 'now at 1']);
  t.strictSame(play([0, 'SIGTERM'], [1, 'SIGINT']), ['stop at 0', 'now at 1']);
});

test('signals: a Ctrl-C that npm forwards is not a second one', async (t) => {
  t.strictSame(play([0, 'SIGINT'], [249, 'SIGINT']), ['stop at 0']);
  t.strictSame(play([0, 'SIGINT'], [250, 'SIGINT']), ['stop at 0', 'now at 250']);
});
