import { Moment } from '../../shell/time.js';
import { windowTime } from './windows.js';

/** When a window began, with its id. */
export function Window({
  id,
  width,
  short = false,
}: {
  readonly id: string;
  readonly width: number;
  readonly short?: boolean;
}) {
  const at = windowTime(id, width);
  return (
    <span>
      <Moment at={at} short={short} /> <span className="mono soft">{id}</span>
    </span>
  );
}
