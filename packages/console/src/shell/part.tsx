import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { settings } from '../gateway/settings.js';
import { Boundary } from './failure.js';

/** A screen inside another page: a title of its own below that of the page, and in the title of the window. */
export function Part({
  title,
  heading = title,
  beside,
  actions,
  children,
}: {
  /** Also of the window, as long as it is shown. */
  readonly title: string;
  readonly heading?: ReactNode;
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · ${settings.title}`;
    return () => {
      document.title = before;
    };
  }, [title]);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Group gap="md" style={{ minWidth: 0 }}>
          <Title order={2} ref={ref} tabIndex={-1} style={{ outline: 'none', minWidth: 0 }}>
            {heading}
          </Title>
          {beside}
        </Group>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      <Boundary of={title}>{children}</Boundary>
    </>
  );
}
