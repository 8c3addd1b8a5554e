/** So long the host hears nothing while all is well, unless a condition is begun that may be the end of the process. */
export const quietMillis = 100;
