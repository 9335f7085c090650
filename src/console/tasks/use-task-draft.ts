import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Draft, withPart } from '../ask/ask-draft.js';
import { draftOf } from '../ask/kept-draft.js';
import type { WrittenDraft } from '../ask/use-draft.js';
import { BrowserStore } from '../ui/browser-store.js';
import { HeldValue } from '../ui/held-value.js';
import { useLeaveWarning } from '../ui/use-leave-warning.js';

/** How long typing must pause before the draft is kept, in milliseconds. */
const PAUSE_MS = 300;

/** The drafts of this page by task, with their images. */
const held = new HeldValue(() => new Map<string, Draft>());

const storeOf = (name: string) => new BrowserStore<Draft>(`decider.task-draft.${name}`, 'tab', draftOf);

/** Keeps a draft until the tab is closed. Whether everything of it outlives a reload: images do not. */
function keep(name: string, draft: Draft): boolean {
  held.value.set(name, draft);
  const isEmpty = draft.state === '' && draft.images.length === 0;
  const kept = { ...draft, images: [], questions: [], questionsJson: '' };
  return storeOf(name).write(isEmpty ? null : kept) && draft.images.length === 0;
}

/**
 * The draft of a state for a task, which outlives reloads and other keys.
 *
 * @param asked the questions and the model of the task
 */
export function useTaskDraft(name: string, asked: Pick<Draft, 'questionsJson' | 'model'>): WrittenDraft {
  const [own, setOwn] = useState<Draft>(() => held.value.get(name) ?? storeOf(name).read() ?? draftOf({}));
  const [replaced, setReplaced] = useState<WrittenDraft['replaced']>(null);
  const [isKept, setKept] = useState(true);
  const latest = useRef(own);
  latest.current = own;
  // Layout effects end before the key is forgotten: nothing is kept after that.
  useLayoutEffect(() => {
    const timer = setTimeout(() => setKept(keep(name, latest.current)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [own]);
  useLayoutEffect(() => {
    const keepNow = () => void keep(name, latest.current);
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
      // Not stored: the key may have been forgotten.
      held.value.set(name, latest.current);
    };
  }, []);
  useLeaveWarning(!isKept);
  const put = (part: Partial<Draft>, what: string) => {
    setReplaced({ draft: latest.current, what });
    setOwn((old) => withPart(old, part));
  };
  return {
    draft: { ...own, questionsKind: 'json', questions: [], ...asked },
    change: (part) => setOwn((old) => withPart(old, part)),
    replace: put,
    replaced,
    undo: () => {
      if (replaced !== null) put(replaced.draft, 'The change is undone.');
    },
  };
}
