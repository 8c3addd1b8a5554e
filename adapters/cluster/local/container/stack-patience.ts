/** The watchdog gives the main thread this long to come to where it can be looked at. */
export const stackPatienceMillis = 3000;
