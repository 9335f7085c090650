import {
  OPERATOR_API,
  type OperatorApiName,
  type OperatorQueries,
  type OperatorRequests,
  type OperatorResponses,
} from '../../api/index.js';
import { Api } from '../api/call-api.js';
import type { CallError } from '../api/error.js';

/** What a call sends. */
type CallOptions<Name extends OperatorApiName> = {
  /** The id in the path. */
  readonly id?: string;
  readonly query?: Name extends keyof OperatorQueries ? OperatorQueries[Name] : never;
  readonly body?: Name extends keyof OperatorRequests ? OperatorRequests[Name] : never;
  readonly signal?: AbortSignal;
};

/** Calls the routes of the operator's JSON interface by their names. */
export class OperatorApi {
  private readonly api: Api;

  constructor(
    readonly token: string,
    /** Called with every refusal of the token. */
    onRefusedToken: (error: CallError) => void,
  ) {
    this.api = new Api(token, onRefusedToken);
  }

  /** Rejects with CallError, or with an AbortError if the signal aborts. */
  async call<Name extends OperatorApiName>(
    name: Name,
    { id = '', query, body, signal }: CallOptions<Name> = {},
  ): Promise<OperatorResponses[Name]> {
    const { method, path } = ROUTES.get(name) as (typeof OPERATOR_API)[number];
    const parameters = new URLSearchParams(query as Record<string, string> | undefined).toString();
    const address = path.slice(1).replace('{id}', () => encodeURIComponent(id));
    const reply = await this.api.json<OperatorResponses[Name]>(
      parameters === '' ? address : `${address}?${parameters}`,
      {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
        ...(signal !== undefined && { signal }),
      },
    );
    return reply.body;
  }
}

const ROUTES = new Map(OPERATOR_API.map((route) => [route.name, route]));
