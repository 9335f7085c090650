import { money } from '../ui/format-values.js';

/** An amount or a limit as the interface reads it: at most 15 digits before and 12 behind the decimal point. */
const AMOUNT = /^-?\d{1,15}(\.\d{1,12})?$/;
const WHOLE = /^[1-9]\d{0,14}$/;

export const isAmount = (text: string): boolean => AMOUNT.test(text);

/** Whether a text is a whole number, at least 1. */
export const isWhole = (text: string): boolean => WHOLE.test(text);

/** A decimal string of the interface for people. */
export const shownAmount = (amount: string, currency: string): string => money(Number(amount), currency);
