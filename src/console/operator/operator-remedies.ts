import type { OperatorErrorType } from '../../api/index.js';
import { type Remedies, UNREACHABLE } from '../api/error.js';

/** What an operator can do about an error. */
export const OPERATOR_REMEDIES: Partial<Record<OperatorErrorType, string>> & Remedies = {
  [UNREACHABLE]: 'Check that the server runs and that this machine reaches it, then try again.',
  unauthorized:
    'Enter the token of the file operator.token in the data folder, or of the setting operator.token.',
  host_not_allowed: 'Open the console under an address of the server, or add the name to operator.hosts.',
  not_found: 'It does not exist any longer. Reload the list.',
  conflict: 'Somebody else may have changed it: compare what is shown now, then try again.',
  invalid_request: 'Correct the field that the message names.',
  data_unavailable: 'Check the disk of the data folder, then try again. Nothing was changed.',
  outcome_unknown: 'Look at the audit log before you repeat the change: it may have been made.',
  internal_error:
    'Read the log of the server. Look at the audit log before you repeat a change: it may have been made.',
  request_timeout: 'Try again on a faster connection.',
};
