/** What the address of a graph says. */
export interface GraphSearch {
  /** Absent: logical. */
  readonly mode?: 'physical';
  /** What is selected: `op:NAME`, `part:ID`, `stream:NAME` or `fold:ID`. */
  readonly sel?: string;
  /** Absent: by state. */
  readonly color?: Exclude<Scale, 'state'>;
  /** Absent: the graph. */
  readonly view?: 'table';
  /** What was folded by itself and is shown nevertheless. */
  readonly open?: readonly string[];
}

export const scales = ['state', 'latency', 'lag', 'cpu', 'failures', 'backpressure'] as const;
export type Scale = (typeof scales)[number];

const isColor = (text: unknown): text is Exclude<Scale, 'state'> =>
  text !== 'state' && scales.some((scale) => scale === text);

const mostOpen = 20;

/** What does not fit is left out. */
export function readGraphSearch({ mode, sel, color, view, open }: Record<string, unknown>): GraphSearch {
  const opened = Array.isArray(open) ? open.filter((id) => typeof id === 'string').slice(0, mostOpen) : [];
  return {
    ...(mode === 'physical' ? { mode } : {}),
    ...(typeof sel === 'string' && /^(op|part|stream|fold):./s.test(sel) ? { sel } : {}),
    ...(isColor(color) ? { color } : {}),
    ...(view === 'table' ? { view } : {}),
    ...(opened.length > 0 ? { open: opened } : {}),
  };
}
