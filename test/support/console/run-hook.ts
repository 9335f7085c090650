import type { Test } from 'tap';

/** The types of Preact bring those of a browser, which differ from those of Node.js. */
type Preact = { h(type: unknown, props: object): unknown; render(node: unknown, root: unknown): void };

const PREACT: string = 'preact';
const { h, render } = (await import(PREACT)) as Preact;

/** A module of the console by its path there, with the types that the caller names: see `Preact`. */
export const consoleModule = async <Module>(path: string): Promise<Module> =>
  (await import(`../../../src/console/${path}`)) as Module;

/** What a hook returned last. */
interface Ran<Value> {
  readonly value: Value;
  /** Runs it again, as when something that it reads has changed. */
  readonly again: () => void;
  /** Ends it, as when its view goes. */
  readonly end: () => void;
}

/** The only part of a document that a component without elements needs. */
const container = () => ({ nodeType: 1, childNodes: [], firstChild: null });

/** Runs a hook of the console without a browser, until the end of the test. It must use nothing of the page. */
export function runHook<Value>(t: Test, hook: () => Value): Ran<Value> {
  // Preact asks whether the container is the document.
  const scope = globalThis as { document?: unknown };
  scope.document ??= {};
  const root = container();
  let last: Value | undefined;
  const Probe = () => {
    last = hook();
    return null;
  };
  const again = () => render(h(Probe, {}), root);
  again();
  const end = () => render(null, root);
  t.teardown(end);
  return {
    get value() {
      return last as Value;
    },
    again,
    end,
  };
}
