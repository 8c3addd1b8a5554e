import { ActionIcon, Indicator } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { words } from './words.js';

/** How many alerts are active, on every screen of who may see them. */
export function AlertBell() {
  const may = useMay();
  const { ok } = may('listAlerts');
  const { data } = useQuery({
    ...read('listAlerts', { query: { inAlert: 'true' } }),
    enabled: ok,
    refetchInterval: 10_000,
  });
  if (!ok || !data) return null;
  const active = data.alerts.length;
  return (
    <Indicator label={active} disabled={active === 0} size={16} offset={5} color="red" autoContrast>
      <ActionIcon
        component={Link}
        to="/alerts"
        variant="subtle"
        color="gray"
        c="var(--mantine-color-text)"
        aria-label={words.bell(active)}
        title={words.bell(active)}
      >
        <svg
          viewBox="0 0 24 24"
          width={18}
          height={18}
          fill="none"
          stroke="currentColor"
          strokeWidth={2}
          aria-hidden
        >
          <path d="M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20a2 2 0 0 0 4 0" />
        </svg>
      </ActionIcon>
    </Indicator>
  );
}
