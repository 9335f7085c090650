import { test } from 'tap';
import { forgetHeld, HeldValue } from '../../src/console/ui/held-value.js';
import { withoutSaved } from '../../src/console/ui/kept-edits.js';
import { sources } from '../support/sources.js';

test('edits that are made while a save is in progress outlive it', async (t) => {
  const edits = {
    saved: { value: 'new', before: 'old' },
    editedAgain: { value: 'newer', before: 'old' },
    other: { value: 'x', before: 'y' },
    undone: { value: 'old', before: 'old' },
    ['__proto__']: { value: 'p', before: 'q' },
  };
  t.strictSame(withoutSaved(edits, { saved: 'new', editedAgain: 'new', untouched: 'z' }), {
    editedAgain: { value: 'newer', before: 'new' },
    other: { value: 'x', before: 'y' },
    ['__proto__']: { value: 'p', before: 'q' },
  });
  t.strictSame(withoutSaved({}, { saved: 'new' }), {});
});

test('what the page holds is forgotten with the key', async (t) => {
  const drafts = new HeldValue(() => new Map<string, string>());
  const chosen = new HeldValue<string | null>(() => null);
  drafts.value.set('a', 'text');
  chosen.value = 'file';
  forgetHeld();
  t.strictSame([drafts.value.size, chosen.value], [0, null]);
});

/** Variables of modules that hold nothing of a caller: counters, and what is called when something changes. */
const OTHERS = ['ask/ask-draft.ts: ids', 'ui/choice.tsx: groups', 'tasks/label-uploads.ts: listeners'];

test('every variable of a module is forgotten with the key', async (t) => {
  // A constant has a name in capital letters.
  const variable =
    /^(?:export )?(?:let (\w+)|const ([a-z]\w*)(?:: [^=]+)? = (?:\{|\[|new (?!HeldValue|TabSecret)))/gm;
  const found = sources('src/console').flatMap(({ path, text }) =>
    [...text.matchAll(variable)].map(
      ([, changing, kept]) => `${path.replace('src/console/', '')}: ${changing ?? kept}`,
    ),
  );
  t.strictSame(found.sort(), [...OTHERS].sort());
});
