import type { ApplicationReport, Failure } from '../../interfaces/cluster.js';
import type { Event, RootCause } from './schema.js';

/** Characters of one quoted text; the end of a longer one is kept, where the cause stands. */
const maxQuoted = 16 * 1024;
const maxEvents = 10;

const errorTypes = new Set(['OperatorError', 'ContainerError', 'StopContainer']);

/** Events that tell of an error: what an operator or a container reported, and containers that did not end well. */
export const isError = ({ type, data }: Event): boolean =>
  errorTypes.has(type) && (type !== 'StopContainer' || !['', '0'].includes(String(data['exitStatus'] ?? '')));

/**
 * Why a failed application failed, in Markdown: what the cluster says first, then the last errors. Texts of others
 * are quoted in fences, so they can't draw anything.
 */
export function rootCauseOf(
  report: Pick<ApplicationReport, 'id' | 'diagnostics' | 'failure'>,
  events: readonly Event[],
): RootCause {
  const errors = events.filter(isError).slice(-maxEvents);
  const parts = [
    report.failure && failureText(report.failure),
    report.diagnostics !== '' && `## Diagnostics\n\n${quoted(report.diagnostics)}`,
    errors.length > 0 && `## Last errors\n\n${errors.map(eventText).join('\n\n')}`,
  ].filter((part) => typeof part === 'string');
  return {
    title: `FC_${report.failure?.code ?? codeOf(errors.at(-1))}`,
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

function codeOf(error: Event | undefined): string {
  if (error === undefined) return 'UNKNOWN';
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
