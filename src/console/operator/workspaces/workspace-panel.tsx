import { useEffect, useRef } from 'preact/hooks';
import type { OperatorListedWorkspace, OperatorModel } from '../../../api/index.js';
import { Facts } from '../../ui/facts.js';
import { bytes, time, whole } from '../../ui/format-values.js';
import { Money } from '../../ui/money.js';
import { type Source, Sourced } from '../../ui/sourced.js';
import type { OperatorApi } from '../operator-api.js';
import { CreditForms } from './credit-forms.js';
import { LimitsForm } from './limits-form.js';
import { ModelsForm } from './models-form.js';
import type { OnChanged } from './save-change.js';
import { StateForm } from './state-form.js';

interface WorkspacePanelProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  readonly workspace: OperatorListedWorkspace;
  readonly source: Source;
  readonly currency: string;
  readonly models: readonly OperatorModel[];
  readonly onChanged: OnChanged;
}

/** One workspace: what it has, and forms that change it. */
export function WorkspacePanel(props: WorkspacePanelProps) {
  const { api, active, workspace, source, currency, models, onChanged } = props;
  const title = useRef<HTMLHeadingElement>(null);
  // The address has changed: screen readers go on here.
  useEffect(() => title.current?.focus(), []);
  const amount = (text: string) => <Money amount={text} currency={currency} />;
  const { id, balance, reserved, budget } = workspace;
  return (
    <>
      <section class="panel" aria-labelledby="workspace-title">
        <div class="bar">
          <h2 id="workspace-title" tabIndex={-1} ref={title}>
            {id}
          </h2>
          {workspace.name !== null && <bdi class="muted">{workspace.name}</bdi>}
          {workspace.closed !== null && <span class="badge failed">closed</span>}
          <a href={`#/keys/${id}`}>Keys</a>
          <a href={`#/batches/${id}`}>Batches</a>
        </div>
        <Sourced source={source}>
          <Facts
            facts={[
              ['Credit left', <span class="large">{amount(balance)}</span>],
              ['This month (UTC)', <span class="large">{amount(workspace.charged_this_month)}</span>],
              ['Monthly budget', <span class="large">{budget === null ? 'none' : amount(budget)}</span>],
              ['Reserved', amount(reserved)],
              ['Granted in total', amount(workspace.granted)],
              ['Charged in total', amount(workspace.charged)],
              ['Working keys', whole(workspace.working_keys)],
              ['Requests per minute', whole(workspace.requests_per_minute)],
              ['Bytes per minute', bytes(workspace.bytes_per_minute)],
              ['Created', time(workspace.created)],
              ['Closed', workspace.closed === null ? null : time(workspace.closed)],
            ]}
          />
        </Sourced>
        {workspace.closed !== null && (
          <p class="warning">The workspace is closed: requests of its keys are refused with unauthorized.</p>
        )}
        {workspace.closed === null && Number(balance) <= 0 && (
          <p class="warning">Without credit, requests of its keys are refused with out_of_credit.</p>
        )}
      </section>
      <CreditForms
        api={api}
        active={active}
        workspace={workspace}
        currency={currency}
        onChanged={onChanged}
      />
      <LimitsForm api={api} workspace={workspace} onChanged={onChanged} />
      <StateForm api={api} active={active} workspace={workspace} onChanged={onChanged} />
      <ModelsForm api={api} workspace={workspace} models={models} onChanged={onChanged} />
    </>
  );
}
