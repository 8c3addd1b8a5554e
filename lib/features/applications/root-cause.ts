import type { ApplicationReport } from '../../interfaces/cluster.js';
import type { Failure } from '../../interfaces/master.js';
import type { Event, RootCause } from '../../model/applications.js';

/** Characters of one quoted text; the end of a longer one is kept, where the cause stands. */
const maxQuoted = 16 * 1024;
const maxEvents = 10;

const errorTypes = new Set(['OperatorError', 'ContainerError', 'StopContainer']);

/** Events that tell of an error: what an operator or a container reported, and containers that did not end well. */
export const isError = ({ type, data }: Event): boolean =>
  errorTypes.has(type) && (type !== 'StopContainer' || !['', '0'].includes(String(data['exitStatus'] ?? '')));

/** Milliseconds: what ran well for so long had got over the errors before. */
const seriesGap = 60_000;

/**
 * What began it: the first error of the last series, since those that follow are often its consequences. What an
 * operator or a container itself reported says more than the end of that container.
 */
export function firstCause(events: readonly Event[]): Failure | undefined {
  const errors = events.filter((event) => isError(event) && !isWarning(event));
  const begins = errors.findLastIndex(
    ({ timestamp }, i) => timestamp - (errors[i - 1]?.timestamp ?? -Infinity) > seriesGap,
  );
  const series = errors.slice(Math.max(0, begins));
  const [first] = series;
  const told =
    first &&
    series.find(
      ({ type, data }) => type !== 'StopContainer' && data['containerId'] === first.data['containerId'],
    );
  return first && failureOf(told ?? first);
}

const isWarning = ({ type, data }: Event) => type !== 'StopContainer' && data['logLevel'] === 'WARN';

function failureOf(event: Event): Failure {
  const text = (name: string) => {
    const value = event.data[name];
    return value === undefined || value === null || value === '' ? undefined : String(value);
  };
  const message = text('errorMessage') ?? text('reason') ?? event.type;
  const [line = message, ...stack] = message.split('\n');
  const [containerId, operatorId, operatorName] = ['containerId', 'operatorId', 'operatorName'].map(text);
  return {
    code: codeOf(event),
    message: line,
    at: event.timestamp,
    ...(containerId === undefined ? {} : { containerId }),
    ...(operatorId === undefined ? {} : { operatorId }),
    ...(operatorName === undefined ? {} : { operatorName }),
    ...(stack.length > 0 ? { stackTrace: message } : {}),
  };
}

/**
 * Why a failed application failed, in Markdown: the first cause, then what the cluster says, then the last errors. Texts
 * of others are quoted in fences, so they can't draw anything.
 */
export function rootCauseOf(
  report: Pick<ApplicationReport, 'id' | 'diagnostics' | 'failure'>,
  events: readonly Event[],
): RootCause {
  const errors = events.filter(isError).slice(-maxEvents);
  const failure = report.failure ?? firstCause(events);
  const parts = [
    failure && failureText(failure),
    report.diagnostics !== '' && `## Diagnostics\n\n${quoted(report.diagnostics)}`,
    errors.length > 0 && `## Last errors\n\n${errors.map(eventText).join('\n\n')}`,
  ].filter((part) => typeof part === 'string');
  return {
    title: `FC_${failure?.code ?? 'UNKNOWN'}`,
    type: 'markdown',
    content: parts.length > 0 ? parts.join('\n\n') : 'Nothing is known of the cause.',
  };
}

function failureText(failure: Failure): string {
  const facts = [
    fact('Operator', failure.operatorName),
    fact('Operator id', failure.operatorId),
    fact('Container', failure.containerId),
    failure.at === undefined ? undefined : `- Time: ${new Date(failure.at).toISOString()}`,
  ].filter((line) => line !== undefined);
  return [
    `## Cause\n\n${quoted(failure.message)}`,
    facts.join('\n'),
    failure.stackTrace && quoted(failure.stackTrace),
    failure.log && failure.log.length > 0 && `## Log\n\n${quoted(failure.log.join('\n'))}`,
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n');
}

const fact = (label: string, value: string | undefined) =>
  value === undefined ? undefined : `- ${label}: ${inline(value)}`;

function eventText({ type, timestamp, data }: Event): string {
  const facts = Object.entries(data)
    .filter(([name, value]) => name !== 'errorMessage' && value !== null && value !== '')
    .map(([name, value]) => `- ${name}: ${inline(String(value))}`);
  const message = data['errorMessage'];
  return [
    `### ${inline(type)} at ${new Date(timestamp).toISOString()}`,
    facts.join('\n'),
    typeof message === 'string' ? quoted(message) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function codeOf(error: Event): string {
  return error.type
    .replace(/[^A-Za-z0-9]/g, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase();
}

/** A fence longer than any run of backticks inside. */
function quoted(text: string): string {
  const kept = text.length > maxQuoted ? `…${text.slice(-maxQuoted)}` : text;
  const fence = '`'.repeat(Math.max(3, longestRun(kept) + 1));
  return `${fence}\n${kept}\n${fence}`;
}

function inline(text: string): string {
  const line = text.slice(0, 500).replace(/\s+/g, ' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  return `${fence} ${line} ${fence}`;
}

const longestRun = (text: string) =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
