import { test } from 'tap';
import { ApiError, ERRORS, type ErrorType } from '../../src/api/index.js';

for (const type of Object.keys(ERRORS) as ErrorType[]) {
  test(`${type}: the body and status of the table`, async (t) => {
    const error = new ApiError(type, 'why');
    t.equal(error.body(), JSON.stringify({ error: 'why', type }));
    t.equal(error.status, ERRORS[type].status);
  });
}

test('details with an order keep it', async (t) => {
  const questions = new Map([
    ['10', { labels: 1 }],
    ['2', { labels: 0 }],
    ['__proto__', { labels: 2 }],
  ]);
  const error = new ApiError(
    'too_few_labels',
    'why "so"',
    {},
    { questions, field: undefined, errors: [{ line: 1 }] },
  );
  t.equal(
    error.body(),
    '{"error":"why \\"so\\"","type":"too_few_labels","questions":{"10":{"labels":1},"2":{"labels":0},"__proto__":{"labels":2}},"errors":[{"line":1}]}',
  );
});
