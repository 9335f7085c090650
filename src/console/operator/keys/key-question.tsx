import { useState } from 'preact/hooks';
import type { OperatorKey } from '../../../api/index.js';
import { Confirm } from '../../ui/confirm.js';
import { NameField } from '../name-field.js';
import { isName } from '../typed-names.js';
import { KeyLabel } from './key-label.js';

/** What is to be done with a key. */
export interface KeyQuestion {
  readonly kind: 'rename' | 'roll' | 'revoke';
  readonly key: OperatorKey;
}

interface KeyQuestionDialogProps {
  readonly question: KeyQuestion;
  readonly onRename: (id: string, name: string) => void;
  readonly onRoll: (id: string) => void;
  readonly onRevoke: (id: string) => void;
  readonly onCancel: () => void;
}

/** The modal question before a key is changed. */
export function KeyQuestionDialog({
  question: { kind, key },
  onRename,
  onRoll,
  onRevoke,
  onCancel,
}: KeyQuestionDialogProps) {
  const { id } = key;
  const [name, setName] = useState(key.name ?? '');
  if (kind === 'rename')
    return (
      <Confirm
        title="Rename the key"
        action="Save the name"
        off={!isName(name)}
        onConfirm={() => onRename(id, name)}
        onCancel={onCancel}
      >
        <p>
          <code>{id}</code>
        </p>
        <NameField label="Name" value={name} onChange={setName} hint="Callers see it; empty: no name." />
      </Confirm>
    );
  if (kind === 'roll')
    return (
      <Confirm title="Roll the key?" action="Roll the key" onConfirm={() => onRoll(id)} onCancel={onCancel}>
        <p>
          A new key takes its place. <KeyLabel of={key} /> works until the end of the next UTC day: whoever
          uses it needs the new token by then.
        </p>
      </Confirm>
    );
  return (
    <Confirm
      title="Revoke the key?"
      action="Revoke the key"
      onConfirm={() => onRevoke(id)}
      onCancel={onCancel}
    >
      <p>
        <KeyLabel of={key} /> stops working at once and for good. Its open batches fail, and results that were
        not collected yet are lost.
      </p>
    </Confirm>
  );
}
