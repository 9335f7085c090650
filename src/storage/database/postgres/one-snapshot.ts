import { statement } from './statement.js';

/** First in a transaction that reads only: all its statements see the same moment. */
export const ONE_SNAPSHOT = statement(
  'one-snapshot',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
);
