import { useEffect, useId, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import { Editor } from '../editor/editor.js';
import { type Extent, extentOfJson, extentOfText, formatJson } from '../json/extent.js';
import { Choice } from '../ui/choice.js';
import { whole } from '../ui/format-values.js';
import type { Draft } from './ask-draft.js';
import type { LimitsModel } from './models.js';
import type { WrittenDraft } from './use-draft.js';

export interface DraftProps {
  readonly draft: Draft;
  readonly change: WrittenDraft['change'];
  readonly replace: WrittenDraft['replace'];
}

interface StatePanelProps extends Omit<DraftProps, 'replace'> {
  /** The model that will read it; undefined: it is not known. */
  readonly model: LimitsModel | undefined;
  /** What is wrong with the state; null: nothing is known to be. */
  readonly wrong: string | null;
}

const KINDS = [
  ['text', 'Text'],
  ['json', 'JSON'],
] as const;

/** The state: what the questions are about. */
export function StatePanel({ draft, change, model, wrong }: StatePanelProps) {
  const { stateKind, state } = draft;
  const title = useId();
  const extent = useExtent(stateKind, state);
  const [problem, setProblem] = useState<string | null>(null);
  const format = () => {
    try {
      change({ state: formatJson(state) });
      setProblem(null);
    } catch (error) {
      // Long JSON is not checked while someone types.
      setProblem((error as Error).message);
    }
  };
  return (
    <section class="panel" aria-labelledby={title}>
      <div class="bar">
        <h2 id={title}>Text or data (state)</h2>
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
        wrong={wrong}
        onChange={(text) => {
          setProblem(null);
          change({ state: text });
        }}
      />
      <ExtentLine
        stateKind={stateKind}
        extent={problem === null ? extent : { ...extent, problem }}
        model={model}
      />
      {wrong !== null && <p class="under warning">{wrong}</p>}
    </section>
  );
}

interface ExtentLineProps {
  readonly stateKind: Draft['stateKind'];
  readonly extent: Extent;
  readonly model: LimitsModel | undefined;
}

function ExtentLine({ stateKind, extent, model }: ExtentLineProps) {
  const { characters, more, end, problem } = extent;
  if (problem !== null) return <p class="under warning">Not valid JSON: {problem}</p>;
  const most = LIMITS.stateCodePoints;
  const shown = `${more ? 'more than ' : ''}${whole(characters)} of ${whole(most)} characters`;
  const context = model?.context_tokens ?? null;
  if (context !== null && tokens(Math.min(characters, most)) > context) {
    return (
      <p class="under warning" role="status">
        {shown}, about {whole(tokens(Math.min(characters, most)))} tokens: more than {model?.id} can read.
        State and question together may have {whole(context)} tokens. Shorten the state.
      </p>
    );
  }
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

/** Common English texts have about four characters per token. */
const CHARACTERS_PER_TOKEN = 4;

const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

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
