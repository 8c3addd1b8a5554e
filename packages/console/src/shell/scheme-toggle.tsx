import { ActionIcon, Tooltip, useMantineColorScheme } from '@mantine/core';

const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const labels = { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' } as const;
const signs = { auto: '◐', light: '☀', dark: '☾' } as const;

export function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Tooltip label={labels[colorScheme]}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--mantine-color-text)"
        aria-label={labels[colorScheme]}
        onClick={() => setColorScheme(next[colorScheme])}
      >
        {signs[colorScheme]}
      </ActionIcon>
    </Tooltip>
  );
}
