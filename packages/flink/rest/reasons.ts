import { Conflict, UnusableAnswer } from 'headgate/driver-kit';

/** What the JobManager does not know, in the names of its exceptions: it answers some of them with status 500. */
const unknown =
  /\b(?:FlinkJobNotFoundException|UnknownTaskExecutorException|JobVertexNotFoundException|UnknownOperationKeyException)\b/;

export const tellsOfUnknown = (text: string): boolean => unknown.test(text);

/** Of a job whose scheduler can't do that. */
export const tellsOfFixedParallelism = (text: string): boolean =>
  /does not support changing the parallelism/.test(text);

export const notAdaptive = (): Conflict =>
  new Conflict(
    'PARALLELISM_FIXED',
    'The scheduler of this job can not change its parallelism while it runs: set `jobmanager.scheduler: adaptive` in the configuration of Flink, and start the job again',
  );

/** Of a process of which a profile is being made. */
export const tellsOfProfile = (text: string): boolean => /is still under profiling/.test(text);

/** For `catch`: of a vertex that nothing is measured of yet Flink fails to tell the highest figure. Anything else is thrown on. */
export function undefinedIfUnmeasured(error: unknown): undefined {
  if (!(error instanceof UnusableAnswer && error.message.endsWith(': No value present'))) throw error;
  return undefined;
}

/** Characters of one sentence that is passed on. */
const maxLength = 400;
const exceptionName = /^(?:[\w$]+\.)*[\w$]*(?:Exception|Error): /;

/**
 * Why the JobManager refused, as one sentence: the innermost cause that an answer with errors tells. Stack traces stay here, and so
 * do pages in HTML. `undefined`: it says nothing that can be passed on.
 */
export const reasonIn = (text: string): string | undefined => reasonOf(errorsIn(text));

/** The same of stack traces. */
export function reasonOf(traces: readonly string[]): string | undefined {
  const lines = traces
    .flatMap((trace) => trace.split('\n'))
    .map((line) => line.trim().replace(/^<Exception on server side:\s*/, ''))
    .filter(
      (line) => line !== '' && !/^(?:at |\.\.\. \d+ |End of exception|Internal server error)/.test(line),
    );
  const causes = lines.filter((line) => line.startsWith('Caused by: '));
  const told = (causes.length > 0 ? [lines[0] ?? '', ...causes] : lines.slice(0, 1)).map(withoutNames);
  // The innermost may be a bare name: that of a class that is not there.
  const reason = told.findLast((text) => text.includes(' ')) ?? told.at(-1) ?? '';
  return reason === '' ? undefined : reason.slice(0, maxLength);
}

function withoutNames(line: string): string {
  let text = line.replace(/^Caused by: /, '');
  while (exceptionName.test(text)) text = text.replace(exceptionName, '');
  return text;
}

/** `{ "errors": ["...", ...] }` */
function errorsIn(text: string): string[] {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || !('errors' in answer)) return [];
    return Array.isArray(answer.errors) ? answer.errors.filter((error) => typeof error === 'string') : [];
  } catch {
    return [];
  }
}
