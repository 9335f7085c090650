/** Moves the focus into the editor inside an element; whether there is one. */
export function focusEditor(around: Element): boolean {
  const content = around.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content');
  if (!(content instanceof HTMLElement)) return false;
  content.focus();
  return true;
}
