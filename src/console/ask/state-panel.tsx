import { useEffect, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import { Editor } from '../editor/editor.js';
import { type Extent, extentOfJson, extentOfText, formatJson } from '../json/extent.js';
import { Choice } from '../ui/choice.js';
import { whole } from '../ui/format-values.js';
import type { Draft } from './ask-draft.js';

export interface DraftProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

const KINDS = [
  ['text', 'Text'],
  ['json', 'JSON'],
] as const;

/** The state: what the questions are about. */
export function StatePanel({ draft, change }: DraftProps) {
  const { stateKind, state } = draft;
  const extent = useExtent(stateKind, state);
  const format = () => change({ state: formatJson(state) });
  return (
    <section class="panel" aria-labelledby="state-title">
      <div class="bar">
        <h2 id="state-title">State</h2>
        <Choice
          label="Kind of state"
          options={KINDS}
          value={stateKind}
          onChange={(kind) => change({ stateKind: kind })}
        />
        {stateKind === 'json' && (
          <button type="button" disabled={extent.problem !== null} onClick={format}>
            Format
          </button>
        )}
      </div>
      <Editor
        label={stateKind === 'json' ? 'State, as JSON' : 'State, as text'}
        hint={stateKind === 'json' ? '{"message": "…"}' : 'The situation that the questions are about'}
        language={stateKind}
        value={state}
        limit={extent.end}
        onChange={(text) => change({ state: text })}
      />
      <ExtentLine stateKind={stateKind} extent={extent} />
    </section>
  );
}

function ExtentLine({
  stateKind,
  extent,
}: {
  stateKind: Draft['stateKind'];
  extent: ReturnType<typeof useExtent>;
}) {
  const { characters, more, end, problem } = extent;
  if (problem !== null) return <p class="under warning">Not valid JSON: {problem}</p>;
  const most = LIMITS.stateCodePoints;
  const shown = `${more ? 'more than ' : ''}${whole(characters)} of ${whole(most)} characters`;
  if (characters <= most && !more) {
    return (
      <p class="under muted">{stateKind === 'json' ? `${shown}, indented as the model reads it` : shown}</p>
    );
  }
  const where = end === null ? ' Format the JSON to see where.' : '';
  return (
    <p class="under warning" role="status">
      {shown}: the model does not read the rest.{where}
    </p>
  );
}

/** How long typing must pause before a state is measured, in milliseconds. */
const PAUSE_MS = 150;
const EMPTY: Extent = { characters: 0, more: false, end: null, problem: null };

/** How much of a state the model reads, measured in pauses of typing. */
function useExtent(kind: 'text' | 'json', state: string): Extent {
  const [extent, setExtent] = useState(EMPTY);
  useEffect(() => {
    const timer = setTimeout(() => {
      setExtent(kind === 'json' ? extentOfJson(state) : extentOfText(state));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [kind, state]);
  return extent;
}
