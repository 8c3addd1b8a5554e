import { isClientError } from '../shell/words.js';

/** What the gateway says of single properties (`body.NAME`), by their names. */
export function errorsIn(error: Error | undefined): Readonly<Record<string, string>> {
  if (!isClientError(error) || !Array.isArray(error.details)) return {};
  return Object.fromEntries(
    error.details.flatMap((issue: unknown) => {
      if (typeof issue !== 'object' || issue === null || !('path' in issue) || !('message' in issue))
        return [];
      const { path, message } = issue;
      const isOfBody = typeof path === 'string' && path.startsWith('body.');
      return isOfBody ? [[path.slice('body.'.length), String(message)]] : [];
    }),
  );
}
