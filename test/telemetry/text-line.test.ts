import { test } from 'tap';
import { createLog, textLine } from '../../src/telemetry/index.js';

/** What the log writes for people. */
function written(use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog('debug', { write: (line: string) => void lines.push(textLine(line)) }));
  // Times differ.
  return lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, ''));
}

test('a line has the level, the message and its fields', async (t) => {
  const lines = written((log) => {
    log.info(
      { status: 200, path: '/v1/decide', phases: { prepare: 0.61, queue: 4 }, keyId: undefined },
      'request',
    );
    log.warn('a warning');
    log.error({ batch: null, list: [1, 'a b'], text: 'a "b"\n<3>c', empty: '' }, 'a batch failed');
    log.info({ llama: 'no message' });
  });
  t.strictSame(lines, [
    'info  request status=200 path=/v1/decide phases.prepare=0.61 phases.queue=4',
    'warn  a warning',
    'error a batch failed batch=null list=[1,"a b"] text="a \\"b\\"\\n<3>c" empty=""',
    'info  llama="no message"',
  ]);
});

test('the stack of an error follows its line, indented; other fields of an error are shown', async (t) => {
  const error = Object.assign(new TypeError('not like this'), {
    code: 'E_X',
    stack: 'TypeError: not like this\n    at a',
  });
  const [line] = written((log) => log.error({ err: error, requestId: 'req_1' }, 'a request failed'));
  t.equal(
    line,
    'error a request failed err.code=E_X requestId=req_1\n  TypeError: not like this\n      at a',
  );
  const [bare] = written((log) => log.error({ err: 'only text' }, 'x'));
  t.equal(bare, 'error x err="only text"');
});
