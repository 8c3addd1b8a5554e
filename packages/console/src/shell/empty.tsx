import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** What would be here, why it is not, and one thing to do about it. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="sm" py={48} ta="center">
      <Title order={2}>{title}</Title>
      {children && (
        <Text className="soft" maw={520}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
