/**
 * What the database or folder has of something: `yes` and `no` are certain; `maybe`: the outcome is unknown, or a failover
 * may have lost it.
 */
export type Known = 'yes' | 'no' | 'maybe';

/** A live request that was answered with 200. */
interface Answer {
  readonly node: string;
  /** When it was sent and answered, in milliseconds since the start of the process, as `performance.now`. */
  readonly sent: number;
  readonly at: number;
  readonly tokens: number;
}

export interface JournalKey {
  readonly id: string;
  readonly workspace: string;
  readonly token: string;
  /** When its creation was acknowledged. */
  readonly created: number;
  exists: Known;
  revoked: Known;
  /** When its revocation was acknowledged. */
  revokedAt: number;
  readonly answers: Answer[];
  /** Live requests that may have been charged without an answer. */
  unanswered: number;
}

export interface Submission {
  /** Its lines have it in their ids. */
  readonly number: number;
  readonly key: JournalKey;
  /** The bodies of its lines, as numbers of references. */
  readonly bodies: readonly number[];
  readonly isIdempotent: boolean;
  /** The batches that responses have named. */
  readonly ids: Set<string>;
  stored: Known;
  /** When it was acknowledged. */
  at: number;
  cancelled: Known;
  cancelledAt: number;
}

export interface JournalGrant {
  readonly workspace: string;
  /** Different for each grant. */
  readonly amount: string;
  done: Known;
  at: number;
}

/**
 * A call that shows credit. What its node had charged when it was sent was in the database when it was answered: a node
 * writes its charges first.
 */
interface Written {
  readonly sent: number;
  readonly answered: number;
}

/** A time in which charges of nodes may be lost. */
interface Disturbance {
  readonly name: string;
  /** Null: all. */
  readonly node: string | null;
  readonly from: number;
  readonly to: number;
}

/** Charges are usually in the database or on the disk this long after their answer: 50 ms and a commit. */
const BEFORE_MS = 3_000;
/** A node that lost its session may drop charges of the 5 seconds after a disturbance. */
const AFTER_MS = 8_000;
const VIOLATIONS_MAX = 20;

/** What a campaign has done, and what it knows of the outcomes. */
export class Journal {
  readonly keys: JournalKey[] = [];
  readonly submissions: Submission[] = [];
  readonly grants: JournalGrant[] = [];
  readonly violations: string[] = [];
  /** How often each outcome came, by the kind of call. */
  readonly outcomes = new Map<string, number>();
  /** Whether a fault is in progress by which acknowledged changes may be lost. */
  isLosing = false;
  private readonly disturbances: Disturbance[] = [];
  /** By node, in their order. */
  private readonly writes = new Map<string, Written[]>();

  count(kind: string, outcome: string | number): void {
    const name = `${kind} ${outcome}`;
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
  }

  violation(text: string): void {
    if (this.violations.length === VIOLATIONS_MAX || this.violations.includes(text)) return;
    this.violations.push(text);
    console.log(`VIOLATION ${new Date().toISOString()} ${text}`);
  }

  disturbed(disturbance: Disturbance): void {
    this.disturbances.push(disturbance);
  }

  /** What the node had charged at `sent` was written at `answered`. */
  written(node: string, sent: number, answered: number): void {
    const writes = this.writes.get(node) ?? [];
    writes.push({ sent, answered });
    this.writes.set(node, writes);
  }

  /** Whether the charge of an answer may be lost. It was made between the request and the answer. */
  isExcused({ node, sent, at }: Answer): boolean {
    return this.disturbances.some(
      ({ node: disturbed, from, to }) =>
        (disturbed === null || disturbed === node) &&
        sent < to + AFTER_MS &&
        at > Math.min(from - BEFORE_MS, this.writtenBefore(node, from)),
    );
  }

  /** What a node has answered before this time was certainly written at `moment`. */
  private writtenBefore(node: string, moment: number): number {
    const last = this.writes.get(node)?.findLast(({ answered }) => answered < moment);
    return last?.sent ?? Number.NEGATIVE_INFINITY;
  }

  /** A failover may have lost what was acknowledged since `from`. */
  lostSince(from: number): void {
    for (const key of this.keys) {
      if (key.exists === 'yes' && key.created >= from) key.exists = 'maybe';
      if (key.revoked === 'yes' && key.revokedAt >= from) key.revoked = 'maybe';
    }
    for (const grant of this.grants) if (grant.done === 'yes' && grant.at >= from) grant.done = 'maybe';
    for (const submission of this.submissions) {
      if (submission.stored === 'yes' && submission.at >= from) submission.stored = 'maybe';
      if (submission.cancelled === 'yes' && submission.cancelledAt >= from) submission.cancelled = 'maybe';
    }
  }
}
