import type { ChangeRequest } from 'headgate/driver-kit';
import type { OperatorLives } from '../history/operator-lives.js';
import type { Layout } from '../layout/layout.js';
import type { Slot } from '../layout/physical-state.js';
import { shown } from './property-writer.js';

interface PlanChange {
  readonly before: Layout;
  readonly next: Layout;
  readonly requests: readonly ChangeRequest[];
  /** Places whose operators were deployed anew. */
  readonly restarted: readonly Slot[];
}

interface Listeners {
  readonly target: { event(type: string, data: Readonly<Record<string, string>>): void };
  readonly lives: OperatorLives;
}

/** Tells what the events of an application say of a change of its plan that was made. */
export function tellOfChange(
  { before, next, requests, restarted }: PlanChange,
  { target, lives }: Listeners,
): void {
  for (const request of requests)
    target.event('ChangeLogicalPlan', { request: JSON.stringify(forEvents(request)) });
  for (const { operator } of before.operators) {
    const stays = next.operator(operator.id);
    if (restarted.some(({ number }) => number === stays?.operator.slot))
      lives.ended(operator.id, 'The plan changed');
    if (stays) continue;
    lives.ended(operator.id, 'It left the plan');
    target.event('RemoveOperator', { operatorName: operator.name, operatorId: operator.id });
  }
  for (const { operator } of next.operators)
    if (!before.operator(operator.id))
      target.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
}

const forEvents = (request: ChangeRequest): ChangeRequest =>
  request.requestType === 'SetOperatorPropertyRequest'
    ? { ...request, propertyValue: shown(request.propertyName, request.propertyValue) }
    : request;
