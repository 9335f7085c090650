/** Every action of the audit log. `docs/operator.md` lists them. */
export const AUDIT_ACTIONS = {
  'workspace.create': 'A workspace was created.',
  'workspace.change': 'The name, the budget, the models or the limits of a workspace were changed.',
  'workspace.credit': 'Credit was granted to a workspace, or taken back.',
  'workspace.close': 'A workspace was closed: its keys stopped working.',
  'workspace.reopen': 'A closed workspace was opened again.',
  'key.create': 'A key was created.',
  'key.change': 'The name of a key was changed.',
  'key.roll': 'A key was replaced by a new one; `rolled_to` is the new key.',
  'key.revoke': 'A key was revoked.',
  'batch.cancel': 'A batch was cancelled by the operator; `batch` is its id.',
  'batch.erase': 'A batch was erased before its time; `batch` is its id, `state` its state before.',
  'task.promote': 'A caller made the shadow build of a task its model; `task` is its name.',
  'master_key.replace': 'The data keys were encrypted with another master key.',
  'backup.restore': 'The data folder was made from a backup.',
  'settings.reload': 'The server took over other settings, or another certificate.',
} as const;
export type AuditAction = keyof typeof AUDIT_ACTIONS;
