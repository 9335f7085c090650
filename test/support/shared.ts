import tap, { type Test } from 'tap';

/**
 * A value that the tests of a file share: made at its first use, torn down after the last test. In a file of its own,
 * because importing `tap` makes a process a test, and some helpers also run in child processes.
 */
export function shared<T>(make: (t: Test) => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make(tap as unknown as Test) };
    return made.it;
  };
}
