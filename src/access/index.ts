export * from './access.js';
export type { Pause } from './account.js';
export type { Caller } from './authenticate.js';
export * from './balance.js';
export * from './calendar.js';
export * from './invoice.js';
export * from './keys.js';
export {
  FLUSH_DELAY_MS,
  type Reservation,
  UNWRITTEN_MS_MAX,
} from './ledger.js';
export * from './money.js';
export * from './reconcile.js';
export type { FlushPart, TakenWrites } from './usage.js';
export * from './usage-report.js';
export * from './workspaces.js';
