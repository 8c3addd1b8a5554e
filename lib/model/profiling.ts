import * as z from 'zod';
import { ContainerId } from './containers.js';
import { NumberInput } from './inputs.js';
import { inUnit, quantity } from './quantity.js';

const moment = quantity('epoch ms');

const FlameGraphType = z
  .enum(['FULL', 'ON_CPU', 'OFF_CPU'])
  .describe('of threads in any state, of those that run, or of those that wait or are blocked');

export const FlameGraphQuery = z.object({
  type: FlameGraphType.default('FULL'),
  operatorId: z.string().exactOptional().describe('only this physical operator. Default: all of them'),
});
export type FlameGraphQuery = z.output<typeof FlameGraphQuery>;

/** A place in the code, and what was called from there. */
export interface StackFrame {
  name: string;
  samples: number;
  children: StackFrame[];
}
const StackFrame: z.ZodType<StackFrame> = z
  .lazy(() =>
    z.object({
      name: z.string(),
      samples: quantity('samples').describe('in which it was on the stack, with all that it called'),
      children: z.array(StackFrame).describe('the largest first'),
    }),
  )
  .meta({ id: 'StackFrame' });

export const FlameGraph = z
  .object({
    type: FlameGraphType,
    sampledAt: moment.describe('when the last of its samples was taken'),
    root: StackFrame,
    framesLeftOut: quantity('frames').describe(
      'those with the fewest samples, and the deepest: there were more than one answer carries',
    ),
  })
  .meta({ id: 'FlameGraph' });
export type FlameGraph = z.output<typeof FlameGraph>;

const Level = z.enum(['OK', 'LOW', 'HIGH']);
const percentage = quantity('percent').exactOptional();

/** What is not known is absent. */
export const BackPressure = z
  .object({
    observedAt: moment.exactOptional(),
    level: Level.exactOptional().describe('the highest of its physical operators'),
    operators: z.array(
      z.object({
        operatorId: z.string(),
        level: Level.exactOptional(),
        backPressuredPercentage: percentage.describe(
          'of the time: in which it could not hand on what it had, because others behind it are too slow',
        ),
        busyPercentage: percentage.describe('of the time: in which it worked'),
        idlePercentage: percentage.describe('of the time: in which nothing came'),
      }),
    ),
  })
  .meta({ id: 'BackPressure' });
export type BackPressure = z.output<typeof BackPressure>;

const ProfileMode = z
  .enum(['CPU', 'WALL', 'ALLOC', 'LOCK', 'ITIMER'])
  .describe(
    '`CPU`: time on processors, for which the machine has to let processes see its counters; `ITIMER`: the same without them; `WALL`: all time; `ALLOC`: memory; `LOCK`: waiting for locks',
  );

export const ContainerProfile = z
  .object({
    id: z.string(),
    state: z.enum(['RUNNING', 'FINISHED', 'FAILED']),
    mode: ProfileMode.exactOptional().describe('absent: one that this gateway does not know'),
    startTime: moment,
    seconds: quantity('s').exactOptional().describe('for how long it was asked for'),
    finishedTime: moment.exactOptional(),
    failure: z.string().exactOptional().describe('why there is none'),
  })
  .meta({ id: 'ContainerProfile' });
export type ContainerProfile = z.output<typeof ContainerProfile>;

export const ProfileList = z.object({
  profiles: z.array(ContainerProfile).describe('the newest first, as many as the cluster keeps'),
});

export const ProfileOrder = z.object({
  mode: ProfileMode.default('ITIMER'),
  seconds: NumberInput.pipe(z.int().min(1).max(300)).default(30).meta(inUnit('s')),
});
export type ProfileOrder = z.output<typeof ProfileOrder>;

export const ProfileId = ContainerId.extend({ id: z.string() });
