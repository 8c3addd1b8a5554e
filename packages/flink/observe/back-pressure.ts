import type { BackPressure } from 'headgate/driver-kit';
import type * as z from 'zod';
import { present } from '../rest/values.js';
import type { BackPressureAnswer } from '../rest/vertex-shapes.js';
import { operatorIdOf } from './operator-ids.js';

const levels = ['OK', 'LOW', 'HIGH'] as const;

export function backPressureOf(
  vertexIndex: number,
  { subtasks, 'end-timestamp': observedAt }: z.output<typeof BackPressureAnswer>,
): BackPressure {
  const operators = subtasks.map(({ subtask, ratio, busyRatio, idleRatio, ...told }) => {
    const backPressuredPercentage = percentage(ratio);
    const level = levels.find((name) => name === told.backpressureLevel.toUpperCase());
    return {
      operatorId: operatorIdOf(vertexIndex, subtask),
      ...present({
        // Where there is no figure Flink says HIGH.
        level: backPressuredPercentage === undefined ? undefined : level,
        backPressuredPercentage,
        busyPercentage: percentage(busyRatio),
        idlePercentage: percentage(idleRatio),
      }),
    };
  });
  const level = levels.findLast((name) => operators.some((operator) => operator.level === name));
  return { ...present({ observedAt, level }), operators };
}

/** Flink counts milliseconds of a second. */
const percentage = (ratio: number | undefined): number | undefined =>
  ratio === undefined ? undefined : Math.round(ratio * 1000) / 10;
