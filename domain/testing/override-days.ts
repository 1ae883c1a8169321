/** The longest time that an override of tests may count, in days from when it is made. */
export const MAX_OVERRIDE_DAYS = 366;
