/** What changes in format 10: the tries of the lines of a chunk that was given back, as JSON. */
export const FORMAT_10: readonly string[] = ['ALTER TABLE batch_chunks ADD COLUMN tried text'];
