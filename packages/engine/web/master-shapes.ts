import type { Container, PhysOperator } from 'headgate/driver-kit';

// What the engine on a cluster tells, where that is not what the gateway does.

export const operatorInfo = ({ isUnifier: _, recordingStartTime: __, ...operator }: PhysOperator) => ({
  recordingId: null,
  counters: null,
  metrics: null,
  ...operator,
});

export const containerInfo = ({ containerType, ...container }: Container) => ({
  ...container,
  operators: containerType === 'APP_MASTER' ? null : container.operators,
});

export const asTexts = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null || typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const measured = [
  'tuplesProcessedPSMA',
  'tuplesEmittedPSMA',
  'cpuPercentageMA',
  'latencyMA',
  'lastHeartbeat',
  'failureCount',
] as const;

export function aggregation(name: string, operators: readonly PhysOperator[]) {
  const over = (values: readonly number[]) => {
    const sum = values.reduce((total, value) => total + value, 0);
    return values.length === 0
      ? { min: null, max: null, avg: null, sum: null }
      : { min: Math.min(...values), max: Math.max(...values), avg: sum / values.length, sum };
  };
  const windows = (values: readonly string[]) => {
    const sorted = values.map(BigInt).sort((a, b) => (a < b ? -1 : 1));
    return { min: String(sorted[0] ?? 0), max: String(sorted.at(-1) ?? 0), avg: null, sum: null };
  };
  return {
    name,
    ...Object.fromEntries(measured.map((member) => [member, over(operators.map((one) => one[member] ?? 0))])),
    recoveryWindowId: windows(operators.flatMap(({ recoveryWindowId }) => recoveryWindowId ?? [])),
    currentWindowId: windows(operators.flatMap(({ currentWindowId }) => currentWindowId ?? [])),
    checkpointTime: over(operators.flatMap(({ checkpointTime }) => checkpointTime ?? [])),
    counters: null,
  };
}
