import * as z from 'zod';
import type {
  ContainerReport,
  ContainerRuntime,
  RuntimeHost,
  RuntimeInfo,
  SpecProblem,
} from '../interfaces/container-runtime.js';
import { type AnswersOf, answersBelow, done, doneSooner, later, type MembersOf, sooner } from './shapes.js';

const text = z.string();

const Info = z.object({
  version: text.regex(/^\d+(\.\d+)*/, 'does not begin with numbers separated by dots'),
} satisfies MembersOf<RuntimeInfo>);

const Problem = z.object({
  field: z.enum(['srcUrl', 'run', 'exec']),
  message: text,
} satisfies MembersOf<SpecProblem>);

const Report = z.object({
  id: text.min(1),
  name: text,
  revision: text,
  state: z.enum(['starting', 'running', 'ended']),
  startedTime: z.number(),
  reason: text.optional(),
  memoryMB: z.number().optional(),
  metadata: z.record(text, text).optional(),
} satisfies MembersOf<ContainerReport>);

export const containerRuntimeAnswers = answersBelow({
  '': {
    open: done,
    info: later(Info),
    check: sooner(z.array(Problem)),
    install: done,
    start: later(Report),
    stop: done,
    remove: done,
    list: later(z.array(Report)),
    close: done,
  } satisfies AnswersOf<ContainerRuntime>,
  'host.': { current: sooner(text), use: doneSooner } satisfies AnswersOf<RuntimeHost>,
});
