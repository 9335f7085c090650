/** Runs every step in order, even if earlier ones fail: everything must be closed. Rejects with the first failure. */
export async function endAll(steps: ReadonlyArray<() => unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
