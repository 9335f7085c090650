import type { OperatorWorkspace } from '../../../api/index.js';
import { ActionForm } from '../../ui/action-form.js';
import { ConfirmTyped } from '../../ui/confirm-typed.js';
import { TextField } from '../../ui/text-field.js';
import { useAction } from '../../ui/use-action.js';
import { overtakenHint, useEdits } from '../../ui/use-edits.js';
import { useQuestion } from '../../ui/use-question.js';
import { isAmount, shownAmount } from '../amounts.js';
import type { OperatorApi } from '../operator-api.js';
import { changeOnce } from './change-once.js';
import { type OnChanged, saveChange } from './save-change.js';

interface CreditFormsProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  readonly workspace: OperatorWorkspace;
  readonly currency: string;
  readonly onChanged: OnChanged;
}

/** Forms that grant credit to a workspace and set its budget. */
export const CreditForms = (props: CreditFormsProps) => (
  <section class="panel" aria-labelledby="credit-title">
    <h2 id="credit-title">Credit and budget</h2>
    <div class="forms">
      <GrantForm {...props} />
      <BudgetForm {...props} />
    </div>
  </section>
);

/** Larger grants, in the currency, are typed twice. */
const LARGE_GRANT = 1_000;

const NOT_AN_AMOUNT = 'Enter a number such as 25 or 12.50.';

function GrantForm({ api, active, workspace: { id, version }, currency, onChanged }: CreditFormsProps) {
  // `version`: of a grant that was sent and has got no answer.
  const { values, edit, clear } = useEdits(`grant.${id}`, { amount: '', reason: '', version: '' });
  const { amount, reason } = values;
  const [confirming, setConfirming] = useQuestion(active, false);
  const action = useAction();
  const wrong = amount !== '' && !isAmount(amount);
  const grant = async () => {
    const why = reason.trim() === '' ? {} : { reason: reason.trim() };
    const once = {
      version,
      tried: values.version,
      make: (sent: string) => api.call('grantCredit', { id, body: { amount, version: sent, ...why } }),
      keep: (sent: string) => edit('version', sent),
      onEnd: (sent: string) => clear({ ...values, version: sent }),
    };
    let changed: OperatorWorkspace | null = null;
    try {
      changed = await changeOnce(id, once);
      return `Credit left: ${shownAmount(changed.balance, currency)}.`;
    } finally {
      onChanged(changed);
    }
  };
  return (
    <ActionForm
      action={action}
      label="Credit"
      button={amount.startsWith('-') ? 'Take credit back' : 'Grant credit'}
      complete={isAmount(amount)}
      onSubmit={() => (Math.abs(Number(amount)) < LARGE_GRANT ? action.run(grant) : setConfirming(true))}
    >
      <TextField
        label={`Amount in ${currency}`}
        value={amount}
        onChange={(text) => edit('amount', text)}
        hint={wrong ? NOT_AN_AMOUNT : 'A negative amount takes credit back.'}
        wrong={wrong}
        numeric
      />
      <TextField
        label="Reason"
        value={reason}
        onChange={(text) => edit('reason', text)}
        hint="Optional; one line for the audit log."
      />
      {confirming && (
        <ConfirmTyped
          title={`Change the credit of ${id} by ${shownAmount(amount, currency)}?`}
          action="Change the credit"
          label="The amount again"
          typed={amount}
          onConfirm={() => {
            setConfirming(false);
            action.run(grant);
          }}
          onCancel={() => setConfirming(false)}
        />
      )}
    </ActionForm>
  );
}

function BudgetForm({ api, workspace, currency, onChanged }: CreditFormsProps) {
  const { id, version } = workspace;
  const edits = useEdits(`budget.${id}`, { budget: workspace.budget ?? '' });
  const { budget } = edits.values;
  const action = useAction();
  const fits = budget === '' || (isAmount(budget) && !budget.startsWith('-'));
  const save = () =>
    saveChange(
      api,
      id,
      { budget: budget === '' ? null : budget, version },
      edits,
      onChanged,
      'The budget is saved.',
    );
  const normal = 'The most that is charged in a UTC month; empty: no budget.';
  return (
    <ActionForm
      action={action}
      label="Budget"
      button="Save the budget"
      complete={fits}
      onSubmit={() => action.run(save)}
    >
      <TextField
        label={`Monthly budget in ${currency}`}
        value={budget}
        onChange={(text) => edits.edit('budget', text)}
        hint={fits ? (overtakenHint(edits, 'budget', workspace.budget ?? 'none') ?? normal) : NOT_AN_AMOUNT}
        wrong={!fits}
        numeric
      />
    </ActionForm>
  );
}
