// The types of Express 5 fit what the tests use of 4.
declare module 'express4' {
  export { default } from 'express';
}
