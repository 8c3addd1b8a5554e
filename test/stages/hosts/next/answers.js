import { fetchHandler } from 'headgate/fetch';

/** Of a route below `prefix`. */
export const answerAt = (prefix) => {
  const handle = fetchHandler(globalThis.headgate, { prefix });
  return async (request) => (await handle(request)) ?? new Response('not here', { status: 404 });
};
