import { HeldValue } from '../ui/held-value.js';

/** The last change of each task that is in progress, by the name of the task. Those of another key are of other tasks. */
const held = new HeldValue(() => new Map<string, Promise<unknown>>());

/**
 * Makes a change of a task when those before it have ended, however they end. A change sends the whole task as it has read
 * it: one that was read before another change would revert that one.
 */
export function inTurn<Result>(name: string, change: () => Promise<Result>): Promise<Result> {
  const changes = held.value;
  const before = changes.get(name) ?? Promise.resolve();
  const made = before.then(change, change);
  const end = () => {
    if (changes.get(name) === made) changes.delete(name);
  };
  changes.set(name, made);
  made.then(end, end);
  return made;
}
