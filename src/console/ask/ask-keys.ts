import { focusEditor } from '../editor/focus-editor.js';

/** Ctrl+Enter asks, also in an editor; once, however long it is held. */
export function onAskKey(event: KeyboardEvent, ask: () => void): void {
  if (event.key !== 'Enter' || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) ask();
}

/** Nothing: browsers submit a form for Enter in any of its fields, such as a radio button, and asking is charged. */
export const onAskSubmit = (event: Event): void => event.preventDefault();

/** Moves the focus to the field that is to be corrected; whether there is one. */
export function focusWrong(form: HTMLFormElement): boolean {
  const field = form.querySelector('[aria-invalid="true"], .editor.wrong');
  if (!(field instanceof HTMLElement)) return false;
  if (!field.matches('.editor')) field.focus();
  else if (field.parentElement !== null) focusEditor(field.parentElement);
  return true;
}
