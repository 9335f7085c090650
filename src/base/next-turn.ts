/** Resolves in the next turn of the event loop, so that other pending events run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
