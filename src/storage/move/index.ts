export type { ComparedTable, ReportRows } from './compare-tables.js';
export { moveToDatabase } from './to-database.js';
export { moveToFolder } from './to-folder.js';
