export interface ListSearch {
  /** Part of a name or of a class. */
  readonly q?: string;
}

export const flameTypes = ['FULL', 'ON_CPU', 'OFF_CPU'] as const;

/** What is looked at of an operator besides its figures. */
export interface FlameSearch {
  /** Threads of the flame graph; absent: it is closed. */
  readonly flame?: (typeof flameTypes)[number];
  /** Id of the only partition that it is of. */
  readonly of?: string;
  /** Part of the names of frames. */
  readonly find?: string;
}

export interface RecordingSearch {
  /** Window id to begin with. */
  readonly window?: string;
  /** Id of the only port that is shown. */
  readonly port?: string;
  /** Tuples as they are recorded, and not those that were. */
  readonly live?: true;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : undefined;

export function readListSearch({ q }: Record<string, unknown>): ListSearch {
  const text = textOf(q);
  return text === undefined ? {} : { q: text };
}

/** What does not fit is left out. */
export function readFlameSearch(search: Record<string, unknown>): FlameSearch {
  const flame = flameTypes.find((type) => type === search['flame']);
  if (flame === undefined) return {};
  const [of, find] = [textOf(search['of']), textOf(search['find'])];
  return { flame, ...(of === undefined ? {} : { of }), ...(find === undefined ? {} : { find }) };
}

/** What does not fit is left out. A window id is read as text only: as a number it would have lost digits. */
export function readRecordingSearch({ window, port, live }: Record<string, unknown>): RecordingSearch {
  const portId = textOf(port);
  return {
    ...(typeof window === 'string' && /^\d{1,20}$/.test(window) ? { window } : {}),
    ...(portId === undefined ? {} : { port: portId }),
    ...(live === true ? { live } : {}),
  };
}
