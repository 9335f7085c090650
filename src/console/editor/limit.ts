import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** Sets the offset at which the model stops reading; null: it reads everything. */
export const setLimit = StateEffect.define<number | null>();

class LimitWidget extends WidgetType {
  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = 'cm-limit';
    element.textContent = 'The model reads up to here: 20,000 characters';
    return element;
  }

  override eq(): boolean {
    return true;
  }
}

const WIDGET = Decoration.widget({ widget: new LimitWidget(), side: -1 });
const UNREAD = Decoration.mark({ class: 'cm-unread' });

/** The marker at the limit, and the text behind it, which looks struck out. Moves with edits until it is set again. */
export const limitMarker = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let set = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setLimit)) set = decorationsAt(effect.value, transaction.state.doc.length);
    }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorationsAt(offset: number | null, length: number): DecorationSet {
  if (offset === null || offset >= length) return Decoration.none;
  return Decoration.set([WIDGET.range(offset), UNREAD.range(offset, length)]);
}
