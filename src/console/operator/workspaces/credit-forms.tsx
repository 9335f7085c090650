import { useState } from 'preact/hooks';
import type { OperatorWorkspace } from '../../../api/index.js';
import { useAction } from '../../ui/use-action.js';
import { ActionForm } from '../action-form.js';
import { isAmount, shownAmount } from '../amounts.js';
import type { OperatorApi } from '../operator-api.js';
import { TextField } from '../text-field.js';

interface CreditFormsProps {
  readonly api: OperatorApi;
  readonly workspace: OperatorWorkspace;
  readonly currency: string;
  readonly onChanged: () => void;
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

const NOT_AN_AMOUNT = 'Enter a number such as 25 or 12.50.';

function GrantForm({ api, workspace: { id }, currency, onChanged }: CreditFormsProps) {
  const [amount, setAmount] = useState('');
  const action = useAction();
  const wrong = amount !== '' && !isAmount(amount);
  const grant = async () => {
    const { balance } = await api.call('grantCredit', { id, body: { amount } });
    setAmount('');
    onChanged();
    return `Credit left: ${shownAmount(balance, currency)}.`;
  };
  return (
    <ActionForm
      action={action}
      label="Credit"
      button={amount.startsWith('-') ? 'Take credit back' : 'Grant credit'}
      complete={isAmount(amount)}
      onSubmit={() => action.run(grant)}
    >
      <TextField
        label={`Amount in ${currency}`}
        value={amount}
        onChange={setAmount}
        hint={wrong ? NOT_AN_AMOUNT : 'A negative amount takes credit back.'}
        wrong={wrong}
        numeric
      />
    </ActionForm>
  );
}

function BudgetForm({ api, workspace, currency, onChanged }: CreditFormsProps) {
  const [budget, setBudget] = useState(workspace.budget ?? '');
  const action = useAction();
  const fits = budget === '' || (isAmount(budget) && !budget.startsWith('-'));
  const save = async () => {
    await api.call('changeWorkspace', {
      id: workspace.id,
      body: { budget: budget === '' ? null : budget },
    });
    onChanged();
    return 'The budget is saved.';
  };
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
        onChange={setBudget}
        hint={fits ? 'The most that is charged in a UTC month; empty: no budget.' : NOT_AN_AMOUNT}
        wrong={!fits}
        numeric
      />
    </ActionForm>
  );
}
