export {
  CERTAIN_MS,
  DATABASE_MS,
  databaseClock,
  databaseNow,
  NOW_MS,
  SESSION_MS,
  SETTLED_MS,
  UNCONFIRMED_SESSION_MS,
} from './calendar.js';
export { certainTransaction } from './certain.js';
export { Database, type DatabaseSettings, type Transaction } from './database.js';
export { CommitUnknown, DatabaseUnavailable, StatementError } from './errors.js';
export { listen } from './listen.js';
export { listNodes } from './nodes.js';
export { holdFormat, readFormat, requireFormat } from './schema/format.js';
export { migrate } from './schema/migrate.js';
export { DATABASE_FORMAT } from './schema/migrations.js';
export { type Queryable, type Statement, statement } from './statement.js';
export { type Path, requireUsable } from './usable.js';
