const CONTROLS = 'button:not(:disabled), input';

/**
 * Moves the focus from an item that is about to be removed to the one behind it, or else to the one before it. Without it,
 * the keyboard would be back at the top of the page.
 */
export function leaveItem(item: Element): void {
  for (const beside of [item.nextElementSibling, item.previousElementSibling]) {
    const control = beside?.matches(CONTROLS) ? beside : beside?.querySelector(CONTROLS);
    if (!(control instanceof HTMLElement)) continue;
    control.focus();
    return;
  }
}
