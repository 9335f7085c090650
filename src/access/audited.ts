import type { AuditRecord } from './audit.js';

/** A change that a rule permits: what it results in, and its record for the audit log. */
export interface Audited<Result> {
  readonly result: Result;
  readonly record: AuditRecord;
}
