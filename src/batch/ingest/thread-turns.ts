import { FairQueue, nextTurn, type Owner } from '../../base/index.js';

/** Images that one thread decodes at the same time: half of the threads of libuv, which live requests and zlib use too. */
export const IMAGES_AT_ONCE_MAX = { key: 1, workspace: 1, all: 2 } as const;
/** One thread checks one part of a file at a time. */
const ONE = { key: 1, workspace: 1, all: 1 };
/** Each file waits for one turn at a time, and the number of files is bounded. */
const UNBOUNDED = { key: Infinity, workspace: Infinity, all: Infinity };

/**
 * The turns of a thread that checks several files: one cut of a file at a time, and two images. Workspaces take turns, and
 * the keys of each, however many files they have and however long each of them takes.
 */
export class ThreadTurns {
  private readonly cuts = new FairQueue(ONE, UNBOUNDED);
  private readonly images = new FairQueue(IMAGES_AT_ONCE_MAX, UNBOUNDED);

  /** Checks a cut in its owner's turn; the thread reads its messages first. */
  cut<Found>(owner: Owner, check: () => Found): Promise<Found> {
    return this.cuts.run(owner, async () => {
      await nextTurn();
      return check();
    });
  }

  /** Decodes an image in its owner's turn. */
  image<Found>(owner: Owner, decode: () => Promise<Found>): Promise<Found> {
    return this.images.run(owner, decode);
  }
}
