/** The watchdog gives the main thread this long to come to where it can be looked at. */
export const stackTimeoutMillis = 3000;
