import { jsonText } from '../../base/index.js';

/** The response of a route. */
export interface OperatorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A JSON response. Bytes are the JSON itself. */
export const jsonReply = (status: number, value: unknown): OperatorReply => ({
  status,
  type: JSON_TYPE,
  body: value instanceof Uint8Array ? value : jsonText(value),
});
