import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Boundary } from './failure.js';

/** A part of a screen with a title of its own; what fails in it takes nothing else along. */
export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <Stack component="section" className="panel" gap="sm" aria-labelledby={id}>
      <Group justify="space-between" gap="sm">
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <Boundary of={title}>{children}</Boundary>
    </Stack>
  );
}
