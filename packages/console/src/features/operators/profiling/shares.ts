/** Of one partition, in percent of its time; what is not known is absent. */
interface Measured {
  readonly busyPercentage?: number | undefined;
  readonly backPressuredPercentage?: number | undefined;
  readonly idlePercentage?: number | undefined;
}

export type ShareKind = 'busy' | 'held' | 'idle';

export interface Share {
  readonly kind: ShareKind;
  /** Of the bar, 0 to 100. */
  readonly width: number;
}

/** A bar of what is known: what is missing stays empty, and parts that are more than the whole, as they are rounded, fit into it. */
export function sharesOf({
  busyPercentage: busy = 0,
  backPressuredPercentage: held = 0,
  idlePercentage: idle = 0,
}: Measured): readonly Share[] {
  const parts = [
    { kind: 'busy', width: busy },
    { kind: 'held', width: held },
    { kind: 'idle', width: idle },
  ] as const;
  const sum = parts.reduce((all, { width }) => all + Math.max(0, width), 0);
  const scale = sum > 100 ? 100 / sum : 1;
  return parts
    .filter(({ width }) => width > 0)
    .map(({ kind, width }) => ({ kind, width: Number((width * scale).toFixed(2)) }));
}
