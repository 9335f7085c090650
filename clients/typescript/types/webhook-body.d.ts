/** The id in the body of a webhook call (contract 2.10). Throws DeciderError `invalid_request`. */
export declare function batchOfWebhook(body: string | Uint8Array | object): string;
