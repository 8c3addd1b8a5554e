export const kinds = ['table', 'line', 'bar', 'value'] as const;
export type Kind = (typeof kinds)[number];

/** One picture of a data source. */
export interface Widget {
  readonly id: string;
  /** Name of the data source. */
  readonly source: string;
  readonly kind: Kind;
  /** Field that names a row; a table needs none. */
  readonly label?: string;
  /** Field that is drawn; a table shows all. */
  readonly value?: string;
  /** Columns of the grid, and rows of it. */
  readonly width: number;
  readonly height: number;
}

/** As it is kept with the user's settings. */
export interface Layout {
  readonly version: 1;
  readonly widgets: readonly Widget[];
}

export const columns = 4;
export const rows = 3;
const mostWidgets = 50;

/** Where the layout of an application is kept; by its name, so that one that is launched again looks as before. */
export const settingOf = (appName: string): string => `console.data.${appName}`;

/** `undefined`: it was written by another version, or by somebody else, and can't be read. */
export function readLayout(kept: unknown): Layout | undefined {
  if (!isRecord(kept) || kept['version'] !== 1 || !Array.isArray(kept['widgets'])) return undefined;
  const widgets = kept['widgets'].slice(0, mostWidgets).map(readWidget);
  return widgets.every((widget) => widget !== undefined) ? { version: 1, widgets } : undefined;
}

function readWidget(kept: unknown): Widget | undefined {
  if (!isRecord(kept)) return undefined;
  const { id, source, label, value, width, height } = kept;
  const kind = kinds.find((one) => one === kept['kind']);
  if (typeof id !== 'string' || typeof source !== 'string' || kind === undefined) return undefined;
  return {
    id,
    source,
    kind,
    ...(typeof label === 'string' ? { label } : {}),
    ...(typeof value === 'string' ? { value } : {}),
    width: within(width, columns),
    height: within(height, rows),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (value: unknown, most: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? Math.min(most, Math.max(1, value)) : 1;

/** What is shown before anybody has chosen: a table for each source. */
export const usualLayout = (sources: readonly string[]): Layout => ({
  version: 1,
  widgets: sources.map((source) => ({ id: source, source, kind: 'table', width: 2, height: 2 })),
});

export const added = (layout: Layout, widget: Widget): Layout => ({
  ...layout,
  widgets: [...layout.widgets, widget].slice(-mostWidgets),
});

export const removed = (layout: Layout, id: string): Layout => ({
  ...layout,
  widgets: layout.widgets.filter((widget) => widget.id !== id),
});

/** One place towards the beginning or the end; at its end of the list it stays. */
export function moved(layout: Layout, id: string, by: -1 | 1): Layout {
  const widgets = [...layout.widgets];
  const from = widgets.findIndex((widget) => widget.id === id);
  const to = from + by;
  const [widget, other] = [widgets[from], widgets[to]];
  if (!widget || !other) return layout;
  widgets[from] = other;
  widgets[to] = widget;
  return { ...layout, widgets };
}

export const resized = (layout: Layout, id: string, wider: number, taller: number): Layout => ({
  ...layout,
  widgets: layout.widgets.map((widget) =>
    widget.id === id
      ? {
          ...widget,
          width: within(widget.width + wider, columns),
          height: within(widget.height + taller, rows),
        }
      : widget,
  ),
});
