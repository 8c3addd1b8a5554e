import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';

/** What else can be done with a thing, behind «⋯»: in a line of a list, or larger beside a title. */
export function MoreMenu({
  label,
  isBesideTitle = false,
  children,
}: {
  /** Names the thing: a screen has many of these. */
  readonly label: string;
  readonly isBesideTitle?: boolean;
  readonly children: ReactNode;
}) {
  const look = isBesideTitle
    ? { variant: 'default', size: 'lg' }
    : { variant: 'subtle', color: 'gray', c: 'var(--mantine-color-text)' };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon {...look} aria-label={label}>
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
