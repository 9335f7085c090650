/** Credit of the workspace that the first start creates, in units of the currency. */
export const FIRST_CREDIT = '100';
