import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of an editor. Colours are the variables of the page's style sheet, which reach into the editor. */
export const THEME = EditorView.theme({
  '&': { maxHeight: '24rem', color: 'var(--ink)', backgroundColor: 'var(--field)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    overflow: 'auto',
    minHeight: '9rem',
    fontFamily: 'var(--mono)',
    lineHeight: '1.5',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--selection)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', color: 'inherit' },
  '.cm-unread': { opacity: '0.55', textDecoration: 'line-through', textDecorationColor: 'var(--rule)' },
  '.cm-limit': {
    display: 'block',
    margin: '0.25rem 0',
    borderTop: '2px dashed var(--warning)',
    color: 'var(--warning)',
    fontFamily: 'var(--sans)',
    fontSize: '0.8125rem',
  },
});

/** The colours of JSON. */
export const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--syntax-name)' },
  { tag: tags.string, color: 'var(--syntax-string)' },
  { tag: tags.number, color: 'var(--syntax-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--syntax-word)' },
]);
