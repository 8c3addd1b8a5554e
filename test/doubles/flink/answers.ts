import type { Answer, Asked } from '../yarn/server.js';

export type Route = readonly [
  method: string,
  path: RegExp,
  answer: (parts: string[], asked: Asked) => Answer | Promise<Answer>,
];

export const trace =
  '\n\tat org.apache.flink.runtime.rest.handler.AbstractHandler.respondAsLeader(AbstractHandler.java:188)';

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: JSON.stringify(value),
});
const refused = (status: number, ...errors: string[]): Answer => json({ errors }, status);

/** As the REST API answers. */
export const answers = {
  json,
  refused,
  notFound: (what: string): Answer =>
    refused(404, `org.apache.flink.runtime.rest.NotFoundException: ${what} not found${trace}`),
  /** The outermost exception first. */
  failed: (...exceptions: string[]): Answer =>
    refused(
      500,
      'Internal server error.',
      `<Exception on server side:\n${exceptions.join(`${trace}\n\t... 6 more\nCaused by: `)}${trace}\nEnd of exception on server side>`,
    ),
};
