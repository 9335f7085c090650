/**
 * The time in which a server answers or refuses a call, unless it is configured to take longer, in milliseconds.
 *
 * @param prompts those of the call at most: questions, once for each order of their options
 */
export declare function usualTimeLimit(prompts: number): number;
