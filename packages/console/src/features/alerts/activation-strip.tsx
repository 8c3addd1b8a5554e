import classes from './alerts.module.css';
import { type Activation, stripOf } from './strip.js';

interface Props {
  readonly activations: readonly Activation[];
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** What it says, by how many there are. */
  readonly label: (count: number) => string;
}

/** A stretch of time as a line, with what was active on it. */
export function ActivationStrip({ activations, from, to, label }: Props) {
  const { pieces, count } = stripOf(activations, from, to);
  return (
    <svg
      className={classes['strip']}
      viewBox="0 0 1000 12"
      preserveAspectRatio="none"
      role="img"
      aria-label={label(count)}
    >
      <title>{label(count)}</title>
      <rect className={classes['ground']} x={0} y={5} width={1000} height={2} />
      {pieces.map(({ from: x, width }) => (
        <rect key={x} className={classes['active']} x={x} y={0} width={width} height={12} />
      ))}
    </svg>
  );
}
