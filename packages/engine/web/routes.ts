import { type Answer, type Asked, remoteException, unknownPath } from './answers.js';

/** `:name` in a pattern stands for one segment; their values come in their order. */
export type WebRoute<S> = readonly [
  method: 'GET' | 'POST',
  pattern: string,
  answer: (service: S, asked: Asked, ...values: string[]) => Promise<Answer> | Answer,
];

/** The first that fits. */
export async function answerBy<S>(routes: readonly WebRoute<S>[], service: S, asked: Asked): Promise<Answer> {
  let isKnown = false;
  for (const [method, pattern, answer] of routes) {
    const values = valuesOf(pattern.split('/'), asked.segments);
    if (!values) continue;
    isKnown = true;
    if (method === asked.method || (method === 'GET' && asked.method === 'HEAD')) {
      return answer(service, asked, ...values);
    }
  }
  return isKnown ? remoteException(405, `${asked.method} is not for this path`) : unknownPath;
}

function valuesOf(pattern: readonly string[], segments: readonly string[]): string[] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const fits = pattern.every((part, i) => part.startsWith(':') || part === segments[i]);
  return fits ? segments.filter((_, i) => pattern[i]?.startsWith(':')) : undefined;
}
