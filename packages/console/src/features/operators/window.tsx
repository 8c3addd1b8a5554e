import { windowTime } from '../../format/windows.js';
import { Moment } from '../../shell/time.js';

/** When a window began, with its id. */
export function Window({
  id,
  width,
  short = false,
}: {
  /** Absent: the engine has no windows. */
  readonly id: string | undefined;
  readonly width: number;
  readonly short?: boolean;
}) {
  if (id === undefined) return '–';
  const at = windowTime(id, width);
  return (
    <span>
      <Moment at={at} short={short} /> <span className="mono soft">{id}</span>
    </span>
  );
}
