import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { settings } from '../gateway/settings.js';
import { Boundary } from './failure.js';

/** One screen: its title, what matters most beside it, its actions on the right. Focus goes to the title when a page is entered. */
export function Page({
  title,
  heading = title,
  beside,
  actions,
  children,
}: {
  /** Also of the window. */
  readonly title: string;
  readonly heading?: ReactNode;
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLHeadingElement>(null);
  // Before the effects of what is inside: a part of the page may have a title of its own.
  useLayoutEffect(() => {
    document.title = `${title} · ${settings.title}`;
  }, [title]);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="lg" style={{ minWidth: 0 }}>
          <Title order={1} ref={ref} tabIndex={-1} style={{ outline: 'none', minWidth: 0 }}>
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
