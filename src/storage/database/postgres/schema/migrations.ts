import { FORMAT_1 } from './format-1.js';
import { FORMAT_2 } from './format-2.js';
import { FORMAT_3 } from './format-3.js';
import { FORMAT_4 } from './format-4.js';
import { FORMAT_5 } from './format-5.js';
import { FORMAT_6 } from './format-6.js';
import { FORMAT_7 } from './format-7.js';
import { FORMAT_8 } from './format-8.js';
import { FORMAT_9 } from './format-9.js';
import type { MigrationStep } from './migration-step.js';

/** Steps that migrate a database from one format to the next. */
export type Migration = readonly MigrationStep[];

/** Migration n, counted from 1, leads to format n. Released ones are never changed. */
export const MIGRATIONS: readonly Migration[] = [
  FORMAT_1,
  FORMAT_2,
  FORMAT_3,
  FORMAT_4,
  FORMAT_5,
  FORMAT_6,
  FORMAT_7,
  FORMAT_8,
  FORMAT_9,
];

/** The format of the database that this version works with. */
export const DATABASE_FORMAT = MIGRATIONS.length;
