/** A program of one file, made of `check-thread-main.ts` and all that it imports by `scripts/bundle.js`. */
declare const program: string;
export default program;
