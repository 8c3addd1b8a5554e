import { Group, Menu, Text, Title } from '@mantine/core';
import { type CSSProperties, useId } from 'react';
import { Boundary } from '../../shell/failure.js';
import { MoreMenu } from '../../shell/more-menu.js';
import classes from './app-data.module.css';
import { columns, type Layout, moved, removed, resized, rows, type Widget } from './layout.js';
import type { Source } from './protocol.js';
import { WidgetContent } from './widget-content.js';
import { words } from './words.js';

interface Props {
  readonly widget: Widget;
  /** `undefined`: the application has it no more. */
  readonly source: Source | undefined;
  readonly layout: Layout;
  readonly change: (layout: Layout) => void;
}

/** One picture with what can be done to it; all of it by keyboard, too. */
export function WidgetPanel({ widget, source, layout, change }: Props) {
  const id = useId();
  const place = { '--columns': widget.width, '--rows': widget.height } as CSSProperties;
  const title = words.titleOf(widget.source, widget.kind);
  return (
    <section className={`panel ${classes['widget']}`} style={place} aria-labelledby={id}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={2} id={id} size="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Actions title={title} widget={widget} layout={layout} change={change} />
      </Group>
      <div className={classes['content']} tabIndex={0} role="group" aria-labelledby={id}>
        <Boundary of={widget.id}>
          {source ? (
            <WidgetContent widget={widget} source={source} />
          ) : (
            <Text size="sm" className="soft">
              {words.gone(widget.source)}
            </Text>
          )}
        </Boundary>
      </div>
    </section>
  );
}

function Actions({
  title,
  widget: { id, width, height },
  layout,
  change,
}: Omit<Props, 'source'> & { readonly title: string }) {
  const place = layout.widgets.findIndex((widget) => widget.id === id);
  const items = [
    [words.earlier, place > 0, () => moved(layout, id, -1)],
    [words.later, place < layout.widgets.length - 1, () => moved(layout, id, 1)],
    [words.wider, width < columns, () => resized(layout, id, 1, 0)],
    [words.narrower, width > 1, () => resized(layout, id, -1, 0)],
    [words.taller, height < rows, () => resized(layout, id, 0, 1)],
    [words.lower, height > 1, () => resized(layout, id, 0, -1)],
  ] as const;
  return (
    <MoreMenu label={words.actionsOf(title)}>
      {items.map(([label, isPossible, act]) => (
        <Menu.Item key={label} closeMenuOnClick={false} disabled={!isPossible} onClick={() => change(act())}>
          {label}
        </Menu.Item>
      ))}
      <Menu.Item color="red" onClick={() => change(removed(layout, id))}>
        {words.remove}
      </Menu.Item>
    </MoreMenu>
  );
}
