/** The longest time that a timer takes, 24 days. A longer one ends at once. */
export declare const TIMER_MS_MAX: number;
/** Throws TypeError unless an option is a number of milliseconds that a timer takes, from `least`. */
export declare function requireMilliseconds(option: string, value: number, least: number): void;
/** Throws TypeError unless an option is a whole number from 0. */
export declare function requireCount(option: string, value: number): void;
