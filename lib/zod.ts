// For the packages of this repository, which put no second copy of zod beside the gateway's. What is shipped has only those
// of its functions that they call.
export * from 'zod';
