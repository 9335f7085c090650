import { test } from 'tap';
import { ApiError, ERRORS, type ErrorType } from '../../src/api/index.js';

for (const type of Object.keys(ERRORS) as ErrorType[]) {
  test(`${type}: the body and status of the table`, async (t) => {
    const error = new ApiError(type, 'why');
    t.strictSame(error.body(), { error: 'why', type });
    t.equal(error.status, ERRORS[type].status);
  });
}
