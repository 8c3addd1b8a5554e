import { Group, NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { words } from './words.js';

const tabs = [
  { to: '/alerts', label: words.list },
  { to: '/alerts/history', label: words.history },
  { to: '/alerts/templates', label: words.templates },
] as const;

/** Between the screens that belong together. */
export function AlertTabs() {
  const { pathname } = useLocation();
  return (
    <Group component="nav" aria-label={words.tabs} gap="xs" mb="md">
      {tabs.map(({ to, label }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={label}
          active={pathname === to}
          aria-current={pathname === to ? 'page' : undefined}
          w="auto"
        />
      ))}
    </Group>
  );
}
