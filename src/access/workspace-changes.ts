import { createHash } from 'node:crypto';
import { exceedsCodePoints, showInstant } from '../base/index.js';
import type { AuditFields, AuditRecord } from './audit.js';
import type { Change, Decision } from './change.js';
import { type Amount, showAmount } from './money.js';
import { checkName, isPlainLine } from './names.js';
import {
  AccessError,
  BYTES_PER_MINUTE_MAX,
  DEFAULT_LIMITS,
  foundWorkspace,
  isWorkspaceId,
  REQUESTS_PER_MINUTE_MAX,
  type Workspace,
} from './workspaces.js';

/** The settings of a workspace that can change. */
export type WorkspaceChange = Partial<
  Pick<Workspace, 'name' | 'budget' | 'models' | 'bytesPerMinute' | 'requestsPerMinute'>
>;

interface GrantOptions {
  /** That of the workspace which is to be changed, so that a grant that is repeated is made once; absent: any. */
  readonly version?: string;
  /** For the audit log, in a line. */
  readonly reason?: string;
}

/** Characters of the reason of a grant. */
export const REASON_CHARACTERS_MAX = 200;

/** The models of a change that the manifest has, as models, builds or aliases, and what a refusal of others suggests. */
interface KnownModels {
  readonly known: readonly string[];
  readonly remedy: 'Use --force' | 'Set force to true';
}

/** Characters of the name of a model that a workspace may use. */
export const MODEL_NAME_CHARACTERS_MAX = 128;
/** Commands separate names by spaces and commas, and `all` stands for all models. */
const MODEL_NAME = new RegExp(`^[A-Za-z0-9][\\w.:/@+-]{0,${MODEL_NAME_CHARACTERS_MAX - 1}}$`);

/** The changes of workspaces. */
export const WORKSPACE_CHANGES = {
  /** Creates a workspace without credit. `name`: see `checkName`. */
  createWorkspace: (id: string, name: string | null = null): Change<Workspace> => ({
    workspace: id,
    decide({ workspace }, now) {
      if (!isWorkspaceId(id)) {
        throw new AccessError(
          'workspace',
          `"${id}" is not 1 to 64 lower-case letters, digits, _ or -, with a letter or digit at both ends.`,
        );
      }
      checkName(name);
      if (workspace !== undefined) throw new AccessError('workspace', `${id} already exists.`, 'conflict');
      const funds = { granted: 0n, budget: null, models: null };
      const result = { id, name, created: now, closed: null, ...funds, ...DEFAULT_LIMITS };
      const record: AuditRecord = { action: 'workspace.create', workspace: id, after: fieldsOf(result) };
      return { result, workspace: result, record };
    },
  }),

  /**
   * Sets name, budget, models or limits. `manifest`: only these models are accepted; absent: any that can be a model. `version`: that
   * of the workspace which is to be changed; absent: any.
   */
  changeWorkspace: (
    id: string,
    change: WorkspaceChange,
    manifest?: KnownModels,
    version?: string,
  ): Change<Workspace> => ({
    workspace: id,
    decide({ workspace }) {
      const before = foundWorkspace(id, workspace);
      checkVersion(before, version);
      checkModels(change.models ?? [], before.models, manifest);
      checkSettings(change);
      return replacing('workspace.change', before, { ...before, ...change });
    },
  }),

  /** Closes a workspace: its keys stop working, and their open batches end. Closing it again changes nothing. */
  closeWorkspace: (id: string): Change<Workspace> => ({
    workspace: id,
    decide({ workspace }, now) {
      const before = foundWorkspace(id, workspace);
      if (before.closed !== null) return { result: before };
      return replacing('workspace.close', before, { ...before, closed: now });
    },
  }),

  /** Opens a closed workspace: its keys work again as before. Batches that have ended stay so. */
  reopenWorkspace: (id: string): Change<Workspace> => ({
    workspace: id,
    decide({ workspace }) {
      const before = foundWorkspace(id, workspace);
      return replacing('workspace.reopen', before, { ...before, closed: null });
    },
  }),

  /** Grants credit; a negative amount takes it back. */
  grantCredit: (id: string, grant: Amount, { version, reason }: GrantOptions = {}): Change<Workspace> => ({
    workspace: id,
    decide({ workspace }) {
      const before = foundWorkspace(id, workspace);
      checkVersion(before, version);
      checkReason(reason);
      const after = { ...before, granted: before.granted + grant };
      const decision = replacing('workspace.credit', before, after);
      if (reason === undefined) return { ...decision, grant };
      const fields = { ...decision.record.after, reason };
      return { ...decision, record: { ...decision.record, after: fields }, grant };
    },
  }),
};

/** Characters of a version: enough that two contents do not share one. */
const VERSION_CHARACTERS = 22;

/** A name for what administrators can change of a workspace: equal contents have equal versions. */
export function versionOf(workspace: Workspace): string {
  const text = JSON.stringify(Object.values(fieldsOf(workspace)));
  return createHash('sha256').update(text).digest('base64url').slice(0, VERSION_CHARACTERS);
}

function checkVersion(workspace: Workspace, version: string | undefined): void {
  if (version === undefined || version === versionOf(workspace)) return;
  throw new AccessError('version', `${workspace.id} has been changed meanwhile.`, 'conflict');
}

function checkReason(reason: string | undefined): void {
  if (reason === undefined) return;
  if (reason.trim() !== '' && !exceedsCodePoints(reason, REASON_CHARACTERS_MAX) && isPlainLine(reason))
    return;
  throw new AccessError(
    'reason',
    `it must be one line of 1 to ${REASON_CHARACTERS_MAX} characters without control characters.`,
  );
}

function replacing(
  action: AuditRecord['action'],
  before: Workspace,
  after: Workspace,
): Decision<Workspace> & { readonly record: AuditRecord } {
  const record = { action, workspace: before.id, before: fieldsOf(before), after: fieldsOf(after) };
  return { result: after, workspace: after, record };
}

/** What the audit log has of a workspace. */
function fieldsOf(workspace: Workspace): AuditFields {
  const { name, closed, granted, budget, models, requestsPerMinute, bytesPerMinute } = workspace;
  return {
    name,
    closed: showInstant(closed),
    granted: showAmount(granted),
    budget: budget === null ? 'none' : showAmount(budget),
    models: models === null ? 'all' : models.join(' '),
    requests_per_minute: String(requestsPerMinute),
    bytes_per_minute: String(bytesPerMinute),
  };
}

/** Names that the workspace has already are accepted, even if no model can have them, or the manifest no longer has them. */
function checkModels(
  names: readonly string[],
  present: readonly string[] | null,
  manifest: KnownModels | undefined,
): void {
  const added = names.filter((name) => !present?.includes(name));
  const wrong = added.find((name) => !MODEL_NAME.test(name) || name === 'all');
  if (wrong !== undefined) {
    const shown = JSON.stringify(wrong.slice(0, MODEL_NAME_CHARACTERS_MAX));
    throw new AccessError(
      'models',
      `${shown} cannot be a model: names have 1 to ${MODEL_NAME_CHARACTERS_MAX} letters, digits or . _ : / @ + -, begin with a letter or digit, and are not "all".`,
    );
  }
  const unknown = manifest && added.find((name) => !manifest.known.includes(name));
  if (unknown === undefined) return;
  throw new AccessError('models', `the manifest has no ${unknown}. ${manifest?.remedy} to allow it anyway.`);
}

/** The rules of settings that hold for any workspace. */
function checkSettings({ name, budget, bytesPerMinute, requestsPerMinute }: WorkspaceChange): void {
  checkName(name);
  if (budget !== undefined && budget !== null && budget < 0n) {
    throw new AccessError('budget', 'it cannot be negative.');
  }
  checkLimit('requests-per-minute', requestsPerMinute, REQUESTS_PER_MINUTE_MAX);
  checkLimit('bytes-per-minute', bytesPerMinute, BYTES_PER_MINUTE_MAX);
}

function checkLimit(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw new AccessError(name, `it must be a whole number from 1 to ${max}.`);
}
