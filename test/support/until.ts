const POLL_MS = 5;
/** Long: it only delays a failure, and a busy machine may need it. */
export const PATIENCE_MS = 100_000;

/** Waits for what another part of the program brings about; rejects where it does not come. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it does not come about: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
