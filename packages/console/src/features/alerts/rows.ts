import type { Activation } from './strip.js';

export interface AlertRow {
  readonly name: string;
  readonly disabled: boolean;
  readonly description: string;
  readonly alertStatus: {
    readonly isInAlert: boolean;
    readonly inTime?: number | undefined;
    readonly message: string;
  };
}

/** Of one activation that is over. */
export interface Ended {
  readonly name: string;
  readonly inTime: number;
  readonly outTime: number;
}

const rank = ({ disabled, alertStatus }: AlertRow): number => (alertStatus.isInAlert ? 0 : disabled ? 2 : 1);
const names = new Intl.Collator('en', { numeric: true });

/** Active ones first, the latest on top; disabled ones last; by name otherwise. */
export const inOrder = <Row extends AlertRow>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      (other.alertStatus.inTime ?? 0) - (one.alertStatus.inTime ?? 0) ||
      names.compare(one.name, other.name),
  );

/** What is wrong with the condition: the gateway says it in place of the description. */
export const troubleOf = ({ alertStatus, description }: AlertRow): string | undefined =>
  alertStatus.message === '' || alertStatus.message === description ? undefined : alertStatus.message;

/** By the alert's name: when it was active, and is. */
export function activationsOf(
  rows: readonly AlertRow[],
  history: readonly Ended[],
): ReadonlyMap<string, readonly Activation[]> {
  const found = new Map<string, Activation[]>(rows.map(({ name }) => [name, []]));
  for (const { name, inTime, outTime } of history) found.get(name)?.push({ inTime, outTime });
  for (const { name, alertStatus } of rows)
    if (alertStatus.isInAlert && alertStatus.inTime !== undefined)
      found.get(name)?.push({ inTime: alertStatus.inTime });
  return found;
}
