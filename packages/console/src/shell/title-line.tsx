import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Boundary } from './failure.js';

/** What a screen and a screen inside another have in common. */
export interface Titled {
  /** Also of the window. */
  readonly title: string;
  readonly heading?: ReactNode;
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The title, what stands beside it, what can be done, and all of it below. Focus goes to the title when it is shown. */
export function TitleLine({
  order,
  title,
  heading = title,
  beside,
  actions,
  children,
}: Titled & { readonly order: 1 | 2 }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  const gaps = order === 1 ? { below: 'md', beside: 'lg' } : { below: 'sm', beside: 'md' };
  return (
    <>
      <Group justify="space-between" mb={gaps.below} gap="sm">
        <Group gap={gaps.beside} style={{ minWidth: 0 }}>
          <Title order={order} ref={ref} tabIndex={-1} style={{ outline: 'none', minWidth: 0 }}>
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
