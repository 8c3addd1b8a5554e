import { Group, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Boundary } from '../../shell/failure.js';

/** One part of a screen; a failure in it leaves the others alone. */
export function Section({
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
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="xs" gap="sm">
        <Title order={3} id={id} fz="md">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <Boundary>{children}</Boundary>
    </section>
  );
}
