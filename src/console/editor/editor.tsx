import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { limitMarker, setLimit } from './limit.js';
import { HIGHLIGHT, THEME } from './theme.js';

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language: 'text' | 'json';
  readonly hint: string;
  /** Where the model stops reading; null: it reads everything. */
  readonly limit?: number | null;
  /** What is wrong with the content; null: nothing is. Texts of the page have no ids in the shadow root. */
  readonly wrong?: string | null;
}

/** A CodeMirror editor and what the page last knew of it. */
interface Held {
  readonly view: EditorView;
  readonly language: Compartment;
  readonly label: Compartment;
  /** The value that the page was told, or has told. */
  value: string;
}

const languageOf = (language: EditorProps['language']) => (language === 'json' ? json() : []);
/** With a tab index, as accessibility tools do not count what is editable among what the keyboard reaches. */
const labelled = (label: string, wrong: string | null) =>
  EditorView.contentAttributes.of({
    'aria-label': wrong === null ? label : `${label}. Wrong: ${wrong}`,
    tabindex: '0',
    dir: 'auto',
    ...(wrong !== null && { 'aria-invalid': 'true' }),
  });

/**
 * A text or JSON editor. Tab leaves it. It lives in a shadow root, where CodeMirror adopts its style sheets as objects:
 * the page's Content-Security-Policy forbids `style` elements.
 */
export function Editor({ label, value, onChange, language, hint, limit = null, wrong = null }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const held = useRef<Held | null>(null);
  const listener = useRef(onChange);
  listener.current = onChange;

  useEffect(() => {
    const root = (host.current as HTMLDivElement).attachShadow({ mode: 'open' });
    const made = makeEditor(root, { label, value, language, hint }, (changed) => {
      if (held.current !== null) held.current.value = changed;
      listener.current(changed);
    });
    held.current = made;
    return () => made.view.destroy();
  }, []);

  // Before the next key: an older value would replace what was typed meanwhile, and be told to the page as a change.
  useLayoutEffect(() => {
    const { current } = held;
    if (current === null || current.value === value) return;
    current.value = value;
    const { view } = current;
    // The page has its own undo for what it replaces: the editor's would bring back one of several fields.
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: Transaction.addToHistory.of(false),
    });
  }, [value]);

  useEffect(() => {
    held.current?.view.dispatch({ effects: setLimit.of(limit) });
  }, [limit]);

  useEffect(() => {
    const { current } = held;
    current?.view.dispatch({
      effects: [
        current.language.reconfigure(languageOf(language)),
        current.label.reconfigure(labelled(label, wrong)),
      ],
    });
  }, [language, label, wrong]);

  return <div class={wrong === null ? 'editor' : 'editor wrong'} ref={host} />;
}

function makeEditor(
  root: ShadowRoot,
  { label, value, language, hint }: Pick<EditorProps, 'label' | 'value' | 'language' | 'hint'>,
  onChange: (value: string) => void,
): Held {
  const compartments = { language: new Compartment(), label: new Compartment() };
  const state = EditorState.create({
    doc: value,
    extensions: [
      history(),
      drawSelection(),
      EditorView.lineWrapping,
      keymap.of([...defaultKeymap, ...historyKeymap]),
      bracketMatching(),
      syntaxHighlighting(HIGHLIGHT),
      placeholder(hint),
      EditorView.perLineTextDirection.of(true),
      limitMarker,
      THEME,
      compartments.language.of(languageOf(language)),
      compartments.label.of(labelled(label, null)),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
  return { view: new EditorView({ state, root, parent: root }), ...compartments, value };
}
