import { FairQueue, type Owner } from '../../base/index.js';
import type { ReadAnswer, ReadCall, ReadName, ReadTask } from './tasks.js';

const ONE = { key: 1, workspace: 1, all: 1 };
/** Whoever waits has a request that http has let in: that is what bounds them. */
const UNBOUNDED = { key: Infinity, workspace: Infinity, all: Infinity };

/**
 * Whose stored data is read next, on a thread that does one task after the other. Of what callers want one task at a
 * time is given to it, of one piece, so that it is short; keys take turns, however many downloads one of them has. What
 * the runner wants is given to it at once, and so waits for no more than one piece.
 */
export class Reader {
  private readonly callers = new FairQueue(ONE, UNBOUNDED);

  /** `run`: does a task on the thread, see `readStored`. */
  constructor(private readonly run: (call: ReadCall) => Promise<unknown>) {}

  /** For a caller. Rejects with what the thread says. */
  read<Name extends ReadName>(owner: Owner, name: Name, task: ReadTask<Name>): Promise<ReadAnswer<Name>> {
    return this.callers.run(owner, () => this.run({ name, task }) as Promise<ReadAnswer<Name>>);
  }

  /** For the runner. */
  lines(task: ReadTask<'lines'>): Promise<ReadAnswer<'lines'>> {
    return this.run({ name: 'lines', task }) as Promise<ReadAnswer<'lines'>>;
  }
}
