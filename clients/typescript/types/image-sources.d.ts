import type { Images } from './client-types.js';
/** Images of a request that together have at most this many bytes are sent inline; larger ones as parts of a form. */
export declare const INLINE_IMAGE_BYTES_MAX: number;
/** An image as it is sent. */
interface ReadImage {
    readonly reference: string;
    readonly format: 'png' | 'jpeg';
    readonly file: Blob;
}
/** Reads the images of a request, and finds the format of each in its first bytes. */
export declare function readImages(images: Images): Promise<ReadImage[]>;
/** Assets with the files in base64. */
export declare function inlineAssets(images: readonly ReadImage[]): Promise<Record<string, object>>;
/**
 * A line of JSON Lines, which has no file parts: its images are inline. Rejects with DeciderError for other files, with
 * TypeError for what cannot be sent, or with the reason of the signal.
 *
 * @param name of the line, for messages
 */
export declare function encodedLine(line: object, name: string, signal: AbortSignal | undefined): Promise<string>;
/** A form: the request first, then each file. */
export declare function formOf(request: object, images: readonly ReadImage[]): FormData;
export {};
