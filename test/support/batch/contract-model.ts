/** What a batch is to its owner, as contract 3 says it in sentences; nothing of the server's own states. */
export class ContractModel {
  /** By line: what its result is called; undefined while it has none. */
  readonly results = new Map<string, string>();
  readonly inProgress = new Set<string>();
  started = false;
  stopped: 'cancelled' | 'expired' | 'key_revoked' | null = null;
  finished = false;

  constructor(
    private readonly ids: readonly string[],
    private readonly expires: number,
  ) {}

  get status(): string {
    if (this.stopped === 'cancelled') return 'cancelled';
    if (this.stopped === 'key_revoked') return 'failed';
    if (!this.finished) return this.started ? 'running' : 'queued';
    return this.answered > 0 ? 'done' : 'failed';
  }

  get answered(): number {
    return [...this.results.values()].filter((type) => type === 'answered').length;
  }

  get reason(): string | null {
    if (this.stopped === 'key_revoked') return 'key_revoked';
    if (!this.finished || this.status !== 'failed') return null;
    return this.stopped === 'expired' ? 'expired' : 'no_line_answered';
  }

  get counts() {
    const failed = this.results.size - this.answered;
    return { done: this.answered, failed, pending: this.ids.length - this.results.size };
  }

  /** Lines that may still be started. */
  get left(): string[] {
    if (this.stopped !== null) return [];
    return this.ids.filter((id) => !this.results.has(id) && !this.inProgress.has(id));
  }

  start(id: string): void {
    if (!this.left.includes(id)) throw new Error(`${id} must not start`);
    this.started = true;
    this.inProgress.add(id);
  }

  /** A line that comes back: with what its result is called, or to be tried again. */
  back(id: string, type: string | null): void {
    if (!this.inProgress.delete(id)) throw new Error(`${id} is not in progress`);
    if (type !== null) this.resolve(id, type);
    this.settle();
  }

  /** A line that fails without having been started. */
  resolve(id: string, type: string): void {
    if (this.results.has(id)) throw new Error(`${id} has a result already`);
    this.results.set(id, type);
    this.settle();
  }

  /** What the cancel is answered with. */
  cancel(): 'ok' | 'batch_finished' {
    if (this.status === 'done' || this.status === 'failed') return 'batch_finished';
    this.stopped = 'cancelled';
    this.settle();
    return 'ok';
  }

  time(now: number): void {
    if (now >= this.expires && this.stopped === null && !this.finished) this.stopped = 'expired';
    this.settle();
  }

  keyEnds(): void {
    if (this.finished || this.stopped === 'cancelled') return;
    this.stopped = 'key_revoked';
    this.settle();
  }

  private settle(): void {
    if (this.finished || this.inProgress.size > 0) return;
    if (this.stopped === null && this.results.size < this.ids.length) return;
    for (const id of this.ids) if (!this.results.has(id)) this.results.set(id, this.stopped as string);
    this.finished = true;
  }
}
