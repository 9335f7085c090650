import { useId } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import type { Task } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { ActionForm } from '../ui/action-form.js';
import { percent, whole } from '../ui/format-values.js';
import { TextField } from '../ui/text-field.js';
import { useAction } from '../ui/use-action.js';
import { overtakenHint, useEdits } from '../ui/use-edits.js';
import type { LoadedTask } from './loaded-task.js';
import { changeTask, type OnChanged } from './task-requests.js';

interface TaskSettingsProps {
  readonly api: Api;
  readonly name: string;
  readonly task: Task;
  readonly onChanged: OnChanged;
}

const isWithin = (text: string, [min, max]: readonly [number, number]): boolean => {
  const value = Number(text);
  return text.trim() !== '' && value >= min && value <= max;
};

/** A form for what changes without a new version: the description and the promise of a fit. */
export function TaskSettings({ api, name, task, onChanged }: TaskSettingsProps) {
  const current = {
    description: task.description ?? '',
    target_error: String(task.target_error),
    confidence: String(task.confidence),
  };
  const edits = useEdits(`task.${name}`, current);
  const { description, target_error: target, confidence } = edits.values;
  const action = useAction();
  const isShort = [...description].length <= LIMITS.taskDescriptionCodePoints;
  const fits = {
    target: isWithin(target, LIMITS.taskTargetErrors),
    confidence: isWithin(confidence, LIMITS.taskConfidences),
  };
  const save = async () => {
    const { changed, values } = edits;
    let saved: LoadedTask | null = null;
    try {
      saved = await changeTask(api, name, task, {
        ...(changed.description !== undefined && { description: changed.description || null }),
        ...(changed.target_error !== undefined && { target_error: Number(changed.target_error) }),
        ...(changed.confidence !== undefined && { confidence: Number(changed.confidence) }),
      });
      edits.clear(values);
      return 'The settings are saved.';
    } finally {
      onChanged(saved);
    }
  };
  const hint = (field: 'target_error' | 'confidence', isRight: boolean, normal: string): string => {
    const [min, max] = field === 'confidence' ? LIMITS.taskConfidences : LIMITS.taskTargetErrors;
    if (!isRight) return `Enter a number from ${min} to ${max}.`;
    return overtakenHint(edits, field, current[field]) ?? normal;
  };
  const promise = edits.changed.target_error !== undefined || edits.changed.confidence !== undefined;
  return (
    <section class="panel task-settings" aria-labelledby="task-settings-title">
      <h2 id="task-settings-title">Settings</h2>
      <ActionForm
        action={action}
        label="Settings"
        button="Save the settings"
        complete={isShort && fits.target && fits.confidence && Object.keys(edits.changed).length > 0}
        onSubmit={() => action.run(save)}
      >
        <Description
          value={description}
          isShort={isShort}
          overtaken={overtakenHint(edits, 'description', current.description || 'empty')}
          onChange={(text) => edits.edit('description', text)}
        />
        <div class="forms">
          <TextField
            label="Target error"
            value={target}
            onChange={(text) => edits.edit('target_error', text)}
            hint={hint(
              'target_error',
              fits.target,
              `Of accepted answers, ${percent(Number(target))} may be wrong.`,
            )}
            wrong={!fits.target}
            numeric
          />
          <TextField
            label="Confidence"
            value={confidence}
            onChange={(text) => edits.edit('confidence', text)}
            hint={hint('confidence', fits.confidence, 'The probability with which the target holds.')}
            wrong={!fits.confidence}
            numeric
          />
        </div>
        {promise && (
          <p class="warning">Another target needs a new fit: the one in force is for the present target.</p>
        )}
      </ActionForm>
    </section>
  );
}

interface DescriptionProps {
  readonly value: string;
  readonly isShort: boolean;
  /** Null: no other change of it. */
  readonly overtaken: string | null;
  readonly onChange: (value: string) => void;
}

function Description({ value, isShort, overtaken, onChange }: DescriptionProps) {
  const id = useId();
  const most = whole(LIMITS.taskDescriptionCodePoints);
  return (
    <div class="text-field">
      <label>
        Description
        <textarea
          rows={2}
          value={value}
          dir="auto"
          aria-describedby={id}
          aria-invalid={!isShort}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
      <p id={id} class={isShort ? 'under muted' : 'under warning'}>
        {overtaken ?? `${whole([...value].length)} of ${most} characters.`}
      </p>
    </div>
  );
}
