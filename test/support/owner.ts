import type { Test } from 'tap';

/** Ends what was started for it: a test, a benchmark or a campaign. */
export type Owner = Pick<Test, 'teardown'>;

/** An owner outside tests. */
export class Endings {
  private readonly endings: (() => unknown)[] = [];

  teardown(ending: () => unknown): void {
    this.endings.push(ending);
  }

  /** Ends everything, the last first. An ending that fails does not stop the others. */
  async end(): Promise<void> {
    for (const ending of this.endings.splice(0).reverse()) {
      try {
        await ending();
      } catch (error) {
        console.error(`an ending failed: ${error}`);
      }
    }
  }
}
