import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLeaveWarning } from '../ui/use-leave-warning.js';
import { type Draft, type DraftPart, withPart } from './ask-draft.js';
import { holdDraft, keepDraft, readDraft } from './kept-draft.js';
import { unpackDraft } from './share.js';

/** A draft that was replaced, and what replaced it. */
interface Replaced {
  readonly draft: Draft;
  /** As a sentence: `The example is loaded.` */
  readonly what: string;
}

/** A draft that is being written. */
export interface WrittenDraft {
  readonly draft: Draft;
  /** Changes a part of it, such as a text that is typed. */
  readonly change: (part: DraftPart) => void;
  /** Replaces what would be work to write again; it can be undone. */
  readonly replace: (part: Partial<Draft>, what: string) => void;
  /** The draft before the last replacement; null if there was none. */
  readonly replaced: Replaced | null;
  /** Brings it back. Undoing can itself be undone. */
  readonly undo: () => void;
}

/** How long typing must pause before the draft is kept, in milliseconds. */
const PAUSE_MS = 300;

/**
 * The draft of this tab, which outlives reloads and other keys.
 *
 * @param shared the request of the link in the address; null if there is none
 * @param onProblem called if the link cannot be read
 */
export function useDraft(shared: string | null, onProblem: (error: unknown) => void): WrittenDraft {
  const [draft, setDraft] = useState<Draft>(() => readDraft().draft);
  const [replaced, setReplaced] = useState<Replaced | null>(null);
  const [isKept, setKept] = useState(true);
  const [opened, setOpened] = useState(() => readDraft().shared);
  const latest = useRef({ draft, shared: opened });
  latest.current = { draft, shared: opened };
  const put = (part: Partial<Draft>, what: string) => {
    setReplaced({ draft: latest.current.draft, what });
    setDraft((old) => withPart(old, part));
  };
  useEffect(() => {
    if (shared === null || shared === opened) return;
    setOpened(shared);
    unpackDraft(shared).then((linked) => put(linked, 'The request of the link is loaded.'), onProblem);
  }, [shared]);
  // Layout effects end before the key is forgotten: nothing is kept after that.
  useLayoutEffect(() => {
    const timer = setTimeout(() => setKept(keepDraft(latest.current)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, opened]);
  useLayoutEffect(() => {
    const keep = () => void keepDraft(latest.current);
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      holdDraft(latest.current);
    };
  }, []);
  // Images are never kept, so that there is no pause to wait for.
  useLeaveWarning(!isKept || draft.images.length > 0);
  return {
    draft,
    change: (part) => setDraft((old) => withPart(old, part)),
    replace: put,
    replaced,
    undo: () => {
      if (replaced === null) return;
      const undone = replaced.what === UNDONE ? 'The change is made again.' : UNDONE;
      put(replaced.draft, undone);
    },
  };
}

const UNDONE = 'The change is undone.';
