/** Where a held Enter writes lines. */
const LINES = 'textarea, [contenteditable]';

const isWriting = ([target]: EventTarget[]): boolean =>
  target instanceof Element && target.closest(LINES) !== null;

/**
 * Lets an Enter that is held press a button, or send a form, once: browsers repeat it up to 30 times a second, and what is
 * sent may be charged.
 */
export function pressOnce(): void {
  const stop = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.repeat && !isWriting(event.composedPath())) event.preventDefault();
  };
  addEventListener('keydown', stop, true);
}
