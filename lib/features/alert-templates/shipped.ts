import type { Parameter, TemplateContent } from './schema.js';

// `docs/decisions.md`, Templates in the box. Conditions are written on one line; here they are in several for
// readers.

const parameter = (
  variable: string,
  type: Parameter['type'],
  label: string,
  more: Partial<Parameter> = {},
): Parameter => ({ variable, label, type, placeholder: '', tooltip: '', required: true, ...more });

const appName = parameter('APP_NAME', 'text', 'Application name', {
  placeholder: 'my-application or my-.*',
  tooltip: 'Name of the application, or a regular expression that fits its whole name',
});

/** The applications that have not ended and that are meant. */
const named = `const named = _topic.applications.apps.filter(({ name }) =>
  name === {{APP_NAME}} || new RegExp('^(?:' + {{APP_NAME}} + ')$').test(name));`;

const oneLine = (script: string): string => script.replace(/\s*\n\s*/g, ' ').trim();

const template = (
  description: string,
  parameters: readonly Parameter[],
  script: string,
): TemplateContent => ({
  description,
  parameters: [...parameters],
  script: oneLine(script),
});

/** By name, in the order in which they are listed. */
export const shippedTemplates: ReadonlyMap<string, TemplateContent> = new Map([
  [
    'Cluster Memory Usage',
    template(
      'The memory allocated in the whole cluster exceeds a limit',
      [parameter('MEMORY_MB', 'number', 'Memory (MB)', { placeholder: '100000' })],
      `_topic['cluster.metrics'].currentMemoryAllocatedMB > {{MEMORY_MB}}`,
    ),
  ],
  [
    'Cluster CPU Usage',
    template(
      'The CPU used in the whole cluster exceeds a percentage',
      [parameter('CPU_PERCENT', 'number', 'CPU (%)', { placeholder: '90' })],
      `_topic['cluster.metrics'].cpuPercentage > {{CPU_PERCENT}}`,
    ),
  ],
  [
    'Application Memory Usage',
    template(
      'The memory allocated to an application exceeds a limit',
      [appName, parameter('MEMORY_MB', 'number', 'Memory (MB)', { placeholder: '4096' })],
      `${named}
      named.some(({ allocatedMB }) => allocatedMB > {{MEMORY_MB}})`,
    ),
  ],
  [
    'Application Execution Time',
    template(
      'An application runs for longer than a time',
      [appName, parameter('MINUTES', 'number', 'Time (minutes)', { placeholder: '60' })],
      `${named}
      named.some(({ elapsedTime }) => elapsedTime > {{MINUTES}} * 60000)`,
    ),
  ],
  [
    'Active Containers Count',
    template(
      'An application has fewer, as many, or more containers than a number',
      [
        appName,
        parameter('COMPARISON', 'text', 'Comparison', {
          default: 'less',
          values: { less: 'less than', equal: 'equal to', greater: 'greater than' },
        }),
        parameter('COUNT', 'number', 'Containers', { placeholder: '3' }),
      ],
      `${named}
      named.some(({ runningContainers: count }) =>
      ({ less: count < {{COUNT}}, equal: count === {{COUNT}}, greater: count > {{COUNT}} })[{{COMPARISON.key}}])`,
    ),
  ],
  [
    'Application Status',
    template(
      'An application is in a state',
      [
        appName,
        parameter('STATE', 'text', 'State', {
          default: 'ENDED',
          tooltip: 'The list of applications holds those that have not ended',
          values: {
            SUBMITTED: 'submitted',
            ACCEPTED: 'accepted, waiting for its first container',
            RUNNING: 'running',
            ENDED: 'ended, or not launched at all',
          },
        }),
      ],
      `${named}
      {{STATE.key}} === 'ENDED' ? named.length === 0 : named.some(({ state }) => state === {{STATE.key}})`,
    ),
  ],
  [
    'Application Container Killed',
    template(
      'A container of an application was killed',
      [appName],
      `${named}
      named.some(({ id }) => (_topic['applications.' + id + '.containers']?.containers ?? [])
      .some(({ state }) => state === 'KILLED'))`,
    ),
  ],
  [
    'Application Latency',
    template(
      'The latency of an application along its critical path exceeds a limit',
      [appName, parameter('LATENCY_MILLIS', 'number', 'Latency (ms)', { placeholder: '1000' })],
      `${named}
      named.some(({ id }) => _topic['applications.' + id]?.latency > {{LATENCY_MILLIS}})`,
    ),
  ],
  [
    'Application Lag',
    template(
      'An application is behind the clock: more comes in than it works off',
      [appName, parameter('LAG_SECONDS', 'number', 'Lag (s)', { placeholder: '10' })],
      `${named}
      named.some(({ id }) => _topic['applications.' + id]?.lag > {{LAG_SECONDS}} * 1000)`,
    ),
  ],
  [
    'Failed Containers Count',
    template(
      'An application has lost more containers than a number',
      [appName, parameter('COUNT', 'number', 'Containers', { placeholder: '0', default: '0' })],
      `${named}
      named.some(({ id }) => _topic['applications.' + id]?.failedContainers > {{COUNT}})`,
    ),
  ],
  [
    'Application Back-Pressure',
    template(
      'An operator of an application is held up by those behind it for more than a share of the time',
      [appName, parameter('PERCENT', 'number', 'Time (%)', { placeholder: '50', default: '50' })],
      `${named}
      named.some(({ id }) => (_topic['applications.' + id + '.logicalOperators']?.operators ?? [])
      .some(({ counters }) => counters?.backPressuredTimeMsPerSecond?.max > {{PERCENT}} * 10))`,
    ),
  ],
  [
    'Application Checkpoint Age',
    template(
      'What an application would go on from is older than a time',
      [appName, parameter('MINUTES', 'number', 'Time (minutes)', { placeholder: '10', default: '10' })],
      `${named}
      named.some(({ id }) => _topic['applications.' + id]?.checkpointAge > {{MINUTES}} * 60000)`,
    ),
  ],
  [
    'Application Restarts',
    template(
      'A part of an application was begun again more often than a number',
      [appName, parameter('COUNT', 'number', 'Restarts', { placeholder: '0', default: '0' })],
      `${named}
      named.some(({ id }) => (_topic['applications.' + id + '.physicalOperators']?.operators ?? [])
      .some(({ failureCount }) => failureCount > {{COUNT}}))`,
    ),
  ],
]);
