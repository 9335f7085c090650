import { useState } from 'preact/hooks';
import type { Task } from '../../client/index.js';
import type { AskedQuestion } from '../ask/request.js';
import { indented } from '../json/json-node.js';
import { Choice } from '../ui/choice.js';
import { CopyButton } from '../ui/copy-button.js';
import { DataTable } from '../ui/data-table.js';
import { count, time, whole } from '../ui/format-values.js';
import type { LoadedTask } from './loaded-task.js';

const KINDS = [
  ['list', 'List'],
  ['json', 'JSON'],
] as const;

/** The questions of the version in use, and all versions. */
export function TaskQuestions({ loaded: { task, questions, asked } }: { readonly loaded: LoadedTask }) {
  const [kind, setKind] = useState<'list' | 'json'>('list');
  const json = () => indented(questions);
  return (
    <>
      <details class="task-part" open>
        <summary>
          <h3>{count(asked.length, 'question')}</h3>
        </summary>
        <div class="row">
          <Choice label="Questions as" options={KINDS} value={kind} onChange={setKind} />
          {kind === 'json' && <CopyButton label="Copy" text={json} />}
        </div>
        {kind === 'list' ? (
          <ol class="task-questions">
            {asked.map((each) => (
              <Question key={each.name} question={each} />
            ))}
          </ol>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long JSON scrolls, also with the keyboard
          <section class="code" tabIndex={0} aria-label="Questions, as JSON">
            <pre dir="auto">{json()}</pre>
          </section>
        )}
      </details>
      <details class="task-part">
        <summary>
          <h3>{count(task.versions.length, 'version')}</h3>
        </summary>
        <Versions versions={task.versions} />
      </details>
    </>
  );
}

const Question = ({
  question: { name, type, instructions, options },
}: {
  readonly question: AskedQuestion;
}) => (
  <li>
    <strong dir="auto">{name === '' ? '(no name)' : name}</strong> <code>{type}</code>
    {instructions !== '' && (
      <div class="muted" dir="auto">
        {instructions}
      </div>
    )}
    {type === 'choice' && (
      <ul class="labels">
        {options.map((each) => (
          <li key={each} dir="auto">
            {each}
          </li>
        ))}
      </ul>
    )}
    {type === 'score' && <div class="muted">{count(options.length, 'level')}</div>}
  </li>
);

const Versions = ({ versions }: Pick<Task, 'versions'>) => (
  <DataTable
    label="Table of versions"
    rows={[...versions].reverse()}
    keyOf={({ version }) => version}
    columns={[
      { title: 'Version', number: true, cell: ({ version }) => whole(version) },
      { title: 'Model', cell: ({ model }) => model ?? 'default' },
      { title: 'Made', class: 'nowrap', cell: ({ created_at: at }) => time(at) },
      { title: 'In use', cell: ({ version }) => (version === versions.length ? 'yes' : 'no') },
    ]}
  />
);
