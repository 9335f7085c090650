import { FORMAT_1 } from './format-1.js';

/** A change of the schema: its statements take a database of the format before to its own. */
export type Migration = readonly string[];

/** Migration n, counted from 1, leads to format n. Released ones are never changed. */
export const MIGRATIONS: readonly Migration[] = [FORMAT_1];

/** The format of the database that this version works with. */
export const DATABASE_FORMAT = MIGRATIONS.length;
