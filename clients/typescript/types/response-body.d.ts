/** The bytes of a response as they arrive; leaving the loop closes the connection. Rejects as the stream does. */
export declare function piecesOf(response: Response): AsyncGenerator<Uint8Array, void>;
/** The body as text. Throws RangeError if it has more than `max` bytes. */
export declare function readText(response: Response, max: number): Promise<string>;
