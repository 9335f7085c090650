import type { Caller, Charge, Ledger, Reservation } from '../../../src/access/index.js';
import { type Clock, nextTurn } from '../../../src/base/index.js';
import type { LedgerPart } from '../../../src/cluster/batches/ledger-part.js';
import { fence, type Session, SessionLost } from '../../../src/cluster/session/index.js';
import { type Database, statement } from '../../../src/postgres/index.js';

const FLUSH_MS = 10;

const ADD = statement(
  'test-usage',
  `INSERT INTO usage VALUES ($1, '2026-01-01', $2, $3, 'batch', $4, 1, $5, $6)
   ON CONFLICT (workspace, day, key, model, kind, price) DO UPDATE SET
     requests = usage.requests + 1, input_tokens = usage.input_tokens + excluded.input_tokens,
     amount = usage.amount + excluded.amount`,
);

/** A ledger without limits: it writes each charge together with what its parts have, in one transaction. */
export class PlainLedger implements Ledger {
  private readonly parts: LedgerPart[] = [];
  private unwritten: unknown[][] = [];
  private flushing: Promise<void> | null = null;
  private scheduled = false;
  private readonly listeners: (() => void)[] = [];
  /** Keys that cannot pay. */
  readonly poor = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly session: Session,
    private readonly clock: Clock,
  ) {
    session.onLost(() => {
      this.unwritten = [];
    });
  }

  checkPaused() {}
  reserve = (caller: Caller, charge: Charge) => this.hold(caller, charge);
  reserveLine = (caller: Caller, charge: Charge) =>
    this.poor.has(caller.key.id) ? null : this.hold(caller, charge);
  covers = (caller: Caller) => !this.poor.has(caller.key.id);
  pause = () => null;
  standing = () => ({ credit: 0n, charged: 0n, reserved: 0n, monthCharged: 0n });
  usageOf = async () => [];
  onFunds(listener: () => void) {
    this.listeners.push(listener);
  }
  fundsChanged() {
    for (const listener of this.listeners) listener();
  }
  get writable() {
    return true;
  }
  join(part: LedgerPart) {
    this.parts.push(part);
  }

  changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.clock.after(FLUSH_MS, () => {
      this.scheduled = false;
      this.flush().catch(() => {});
    });
  }

  async flush(): Promise<void> {
    while (this.flushing !== null) await this.flushing.catch(() => {});
    this.flushing = this.write().finally(() => {
      this.flushing = null;
    });
    await this.flushing;
  }

  private async write(): Promise<void> {
    const node = this.session.id;
    const charges = this.unwritten;
    this.unwritten = [];
    const parts = this.parts.flatMap((part) => part.take() ?? []);
    if (charges.length === 0 && parts.length === 0) return;
    try {
      if (node === null) throw new SessionLost(0);
      await this.database.transaction(async (transaction) => {
        await fence(transaction, node);
        for (const part of parts) await part.write(transaction);
        for (const values of charges) await transaction.execute(ADD, values);
      });
      for (const part of parts) part.written();
    } catch (error) {
      if (error instanceof SessionLost) this.session.lost(error.session);
      else {
        this.unwritten.unshift(...charges);
        await nextTurn();
        this.changed();
      }
      for (const part of parts) part.lost();
      throw error;
    }
  }

  private hold({ key, workspace }: Caller, { model, price, inputTokens }: Charge): Reservation {
    const node = this.session.id;
    return {
      post: () => {
        if (this.session.id !== node) throw new Error('the session of the reservation is gone');
        const amount = BigInt(inputTokens) * price;
        this.unwritten.push([workspace.id, key.id, model, String(price), inputTokens, String(amount)]);
        this.changed();
      },
      release() {},
    };
  }
}
