/**
 * From so many bytes on what is read for a caller is handed on, and the rest when the caller takes it: a download that
 * nobody reads holds as much, or one line where that is larger.
 */
export const PIECE_BYTES = 64 * 1024;
