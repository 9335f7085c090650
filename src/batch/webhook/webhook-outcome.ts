/**
 * What an attempt to call a webhook came to. Stored with the batch, shown to its owner, logged, and a label of a metric:
 * none of them says more about the network than this.
 */
export type WebhookOutcome = 'delivered' | WebhookFailure;

/** Why an attempt failed (contract 2.6 `webhook_delivery`). `status_404`: the status of the response. */
export type WebhookFailure = NetworkFailure | `status_${number}`;

/** `address_unreadable`: the stored address cannot be decrypted. The others are described in the contract. */
type NetworkFailure =
  | 'address_unreadable'
  | 'address_not_public'
  | 'no_connection'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response';

/** The values of the label `reason` of the metric: responses are counted together, whatever their status. */
export const WEBHOOK_REASONS = [
  'address_unreadable',
  'address_not_public',
  'no_connection',
  'tls_failed',
  'timeout',
  'invalid_response',
  'status',
] as const satisfies ReadonlyArray<NetworkFailure | 'status'>;

/** The reason of a failed attempt as a label of a metric. */
export function webhookReason(failure: WebhookFailure): (typeof WEBHOOK_REASONS)[number] {
  return WEBHOOK_REASONS.find((reason) => reason === failure) ?? 'status';
}
