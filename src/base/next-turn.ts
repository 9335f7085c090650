/** Resolves in the next turn of the event loop, when what else was waiting has had its turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
