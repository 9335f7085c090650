import { DataTable } from '../ui/data-table.js';
import { preciseTime } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import type { OperatorApi } from './operator-api.js';

interface ErrorsViewProps {
  readonly api: OperatorApi;
  readonly active: boolean;
}

/** The last warnings and errors of the server's log. */
export function ErrorsView({ api, active }: ErrorsViewProps) {
  const { value, error, reload, ...source } = useLoad(
    (signal) => api.call('listErrors', { signal }),
    active,
    [api],
  );
  return (
    <section class="panel" aria-labelledby="errors-title">
      <h1 class="hidden">Errors</h1>
      <div class="bar">
        <h2 id="errors-title">Warnings and errors since the start</h2>
        <Renew source={source} reload={reload} />
      </div>
      <LoadNote value={value} error={error} />
      {value?.errors.length === 0 && (
        <p class="empty">The server has logged no warnings and no errors since its start.</p>
      )}
      {value !== null && value.errors.length > 0 && (
        <Sourced source={source}>
          <DataTable
            label="Table of warnings and errors"
            rows={value.errors}
            keyOf={({ number }) => number}
            columns={[
              { title: 'Time', class: 'time', cell: ({ time }) => preciseTime(time) },
              {
                title: 'Level',
                cell: ({ level }) => <span class={level === 'warn' ? 'badge' : 'badge failed'}>{level}</span>,
              },
              {
                title: 'Message',
                class: 'text',
                cell: ({ message, reason }) => (reason === null ? message : `${message}: ${reason}`),
              },
              { title: 'Type', cell: ({ type }) => type ?? '' },
              { title: 'Request', cell: ({ request_id: id }) => (id === null ? '' : <code>{id}</code>) },
            ]}
          />
        </Sourced>
      )}
    </section>
  );
}
