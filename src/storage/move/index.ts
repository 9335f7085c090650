export type { ComparedTable, ReportRows } from './compare.js';
export { moveToDatabase } from './to-database.js';
export { moveToFolder } from './to-folder.js';
