/** The 97.5 % quantile of the normal distribution. */
export const Z = 1.959964;
