import { useId, useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { ActionForm } from '../ui/action-form.js';
import { percent, shortened } from '../ui/format-values.js';
import { TextField } from '../ui/text-field.js';
import { useAction } from '../ui/use-action.js';
import { type Edits, overtakenHint, useEdits } from '../ui/use-edits.js';
import type { LoadedTask } from './loaded-task.js';
import { changeTask, type OnChanged, type SentTask } from './task-requests.js';

type Shadow = SentTask['shadow'];
/** Model '': no shadow build. */
interface Fields extends Readonly<Record<string, string>> {
  readonly model: string;
  readonly share: string;
}

/** The share of a shadow that begins, unless another one is entered. */
const FIRST_SHARE = 0.1;
/** Characters of a model's name that are shown. */
const NAME_CHARACTERS = 80;

interface ShadowFormProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly name: string;
  readonly loaded: LoadedTask;
  readonly onChanged: OnChanged;
}

/** A form that begins, changes and ends the shadow of a task. */
export function ShadowForm({ api, limits, name, loaded, onChanged }: ShadowFormProps) {
  const { shadow, version } = loaded.task;
  const current: Fields = { model: shadow?.model ?? '', share: String(shadow?.share ?? FIRST_SHARE) };
  const edits = useEdits(`shadow.${name}`, current);
  const { model } = edits.values;
  const action = useAction();
  // What is said of a save is not true of another version; a refusal stays: the other version may be its reason.
  const [savedOf, setSavedOf] = useState(version);
  const save = async () => {
    const { changed, values } = edits;
    let saved: LoadedTask | null = null;
    try {
      saved = await changeTask(api, name, loaded.task, { shadow: edited(shadow, changed) });
      edits.clear(values);
      setSavedOf(saved.task.version);
      return values.model === '' ? 'The shadow build was ended.' : 'The shadow build is saved.';
    } finally {
      onChanged(saved);
    }
  };
  const isChanged = edits.changed.model !== undefined || (model !== '' && edits.changed.share !== undefined);
  return (
    <ActionForm
      action={savedOf === version ? action : { ...action, done: '' }}
      label="Shadow build"
      button="Save the shadow build"
      complete={isChanged && (model === '' || isShare(edits.values.share))}
      onSubmit={() => action.run(save)}
    >
      <div class="forms">
        <ModelField limits={limits} edits={edits} current={current.model} />
        {model !== '' && <ShareField edits={edits} current={shadow === null ? null : current.share} />}
      </div>
      {shadow !== null && edits.changed.model !== undefined && (
        <p class="warning">What was counted of {shadow.model} is deleted.</p>
      )}
    </ActionForm>
  );
}

const isShare = (text: string): boolean => Number(text) > 0 && Number(text) <= 1;

/** The shadow that is sent. */
function edited(seen: Shadow, { model, share }: Partial<Fields>): Shadow {
  const next = model ?? seen?.model ?? '';
  if (next === '') return null;
  return { model: next, share: share === undefined ? (seen?.share ?? FIRST_SHARE) : Number(share) };
}

const HINTS = {
  none: 'No other build is tried.',
  some: 'It answers no request: its answers are only compared.',
};

interface ModelFieldProps {
  readonly limits: Limits;
  readonly edits: Edits<Fields>;
  /** The model of the task's shadow. */
  readonly current: string;
}

function ModelField({ limits: { models }, edits, current }: ModelFieldProps) {
  const id = useId();
  const { model } = edits.values;
  // The shadow may be a build, or a model that the server does not serve any more.
  const others = [...new Set([current, model])].filter(
    (each) => each !== '' && !models.some((known) => known.id === each),
  );
  return (
    <div class="text-field">
      <label>
        Model
        <select
          value={model}
          aria-describedby={id}
          onChange={({ currentTarget }) => edits.edit('model', currentTarget.value)}
        >
          <option value="">none</option>
          {[...models.map((each) => each.id), ...others].map((each) => (
            <option key={each} value={each}>
              {shortened(each, NAME_CHARACTERS)}
            </option>
          ))}
        </select>
      </label>
      <p id={id} class="under muted">
        {overtakenHint(edits, 'model', current || 'none') ?? HINTS[model === '' ? 'none' : 'some']}
      </p>
    </div>
  );
}

interface ShareFieldProps {
  readonly edits: Edits<Fields>;
  /** The share of the task's shadow; null without one. */
  readonly current: string | null;
}

function ShareField({ edits, current }: ShareFieldProps) {
  const { share } = edits.values;
  const isRight = isShare(share);
  const overtaken = current === null ? null : overtakenHint(edits, 'share', current);
  const normal = overtaken ?? `${percent(Number(share))} of the requests are also run on it.`;
  return (
    <TextField
      label="Share of the requests"
      value={share}
      onChange={(text) => edits.edit('share', text)}
      hint={isRight ? normal : 'Enter a number above 0 and at most 1.'}
      wrong={!isRight}
      numeric
    />
  );
}
