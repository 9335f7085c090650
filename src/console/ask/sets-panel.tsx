import { useState } from 'preact/hooks';
import { indented } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { DropZone } from '../ui/drop-zone.js';
import { readText } from '../ui/read-text.js';
import { saveFile } from '../ui/save-file.js';
import type { Draft } from './ask-draft.js';
import { questionsNode, questionsOf } from './ask-questions.js';
import { fileOf, keepSets, type QuestionSets, readSets, withFile, withSet } from './question-sets.js';
import type { DraftProps } from './state-panel.js';

/** Saves the questions under a name, and loads those that were saved. */
export function SetsPanel({ draft, replace }: Pick<DraftProps, 'draft' | 'replace'>) {
  const [sets, setSets] = useState<QuestionSets>(readSets);
  const [name, setName] = useState('');
  const [said, say] = useState('');
  /** Runs a change of the sets, and says what came of it. */
  const run = (work: (now: QuestionSets) => QuestionSets, done: string) => {
    try {
      // Another tab, or an import, may have changed them.
      setSets(keepSets(work(readSets())));
      say(done);
    } catch (error) {
      say((error as Error).message);
    }
  };
  const load = (set: string) =>
    replace(partOfJson(sets.get(set) ?? '{}'), `The questions “${set}” are loaded.`);
  return (
    <details class="sets">
      <summary>Saved questions ({sets.size})</summary>
      <p class="muted">Kept in this browser only.</p>
      <ul class="plain">
        {[...sets.keys()].map((each) => (
          <li key={each} class="row">
            <span dir="auto">{each}</span>
            <button type="button" aria-label={`Load ${each}`} onClick={() => load(each)}>
              Load
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Delete ${each}`}
              onClick={() =>
                run((now) => new Map([...now].filter(([set]) => set !== each)), `${each} is deleted.`)
              }
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <label>
          Name of the set
          <input
            type="text"
            value={name}
            dir="auto"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <button
          type="button"
          onClick={() => run((now) => withSet(now, name.trim(), jsonOf(draft)), `${name.trim()} is saved.`)}
        >
          Save these questions
        </button>
        <button
          type="button"
          disabled={sets.size === 0}
          onClick={() => saveFile(new Blob([fileOf(sets)]), 'decider-questions.json')}
        >
          Export all
        </button>
      </div>
      <DropZone
        label="Import a file"
        accept=".json,application/json"
        onFiles={async ([file]) => {
          if (file === undefined) return;
          const text = await readText(file).catch((error: Error) => error);
          run((now) => {
            if (text instanceof Error) throw text;
            return withFile(now, text);
          }, `${file.name} is imported.`);
        }}
      />
      <p role="status" class="under muted">
        {said}
      </p>
    </details>
  );
}

/** The questions of a draft as JSON. Throws SyntaxError. */
const jsonOf = ({ questionsKind, questions, questionsJson }: Draft): string =>
  indented(questionsKind === 'form' ? questionsNode(questions) : readJson(questionsJson));

/** The part of a draft that has the questions; as JSON if the form cannot show them. */
export function partOfJson(questionsJson: string): Partial<Draft> {
  try {
    return { questionsKind: 'form', questions: questionsOf(readJson(questionsJson)), questionsJson };
  } catch {
    return { questionsKind: 'json', questionsJson };
  }
}
