import { Stack } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { useActiveTabInView } from '../../shell/active-tab.js';
import { Page } from '../../shell/page.js';
import classes from '../../shell/tab-line.module.css';
import { pages } from './pages.js';
import { RestartBanner, RestartButton } from './restart.js';
import { words } from './words.js';

export default function Administration() {
  const may = useMay();
  const { pathname } = useLocation();
  const line = useActiveTabInView<HTMLElement>();
  const open = pages.find(({ to }) => to === pathname);
  const shown = pages.filter(({ anyOf }) => anyOf.some((id) => may(id).ok));
  return (
    <Page
      title={open ? words.titleOf(open.label) : words.title}
      heading={words.title}
      actions={<RestartButton />}
    >
      <Stack gap="md">
        <nav ref={line} className={classes['tabs']} aria-label={words.parts}>
          {shown.map(({ label, to }) => (
            <Link key={to} to={to} className={classes['tab']}>
              {label}
            </Link>
          ))}
        </nav>
        {may('listConfigIssues').ok && <RestartBanner />}
        <Outlet />
      </Stack>
    </Page>
  );
}
