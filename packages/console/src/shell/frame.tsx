import { AppShell, Badge, Burger, Button, Group, Menu, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useMay } from '../gateway/capabilities.js';
import { client } from '../gateway/client.js';
import { queryClient, read } from '../gateway/queries.js';
import { useRightsWatch } from '../gateway/rights-watch.js';
import { session } from '../gateway/session.js';
import { settings } from '../gateway/settings.js';
import { ConnectionDot } from './connection-dot.js';
import { useDialogsAtFirstAct } from './dialogs-needed.js';
import { Boundary } from './failure.js';
import { railFor } from './rail.js';
import { SchemeToggle } from './scheme-toggle.js';
import { useShortcuts } from './shortcuts.js';
import { words } from './words.js';

/** `tools` stand in the header. `?embed=1`, inside another page of the host: the content alone. */
export function Frame({ tools }: { readonly tools: ReactNode }) {
  const { embed } = useSearch({ strict: false }) as { embed?: unknown };
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  useShortcuts();
  useRightsWatch();
  useDialogsAtFirstAct();
  // A line of the menu was taken: on a small screen it covers what it leads to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is what has changed.
  useEffect(() => close(), [pathname, close]);
  const content = (
    <Boundary of={pathname}>
      <Outlet />
    </Boundary>
  );
  if (embed) return <main style={{ padding: 12 }}>{content}</main>;
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: { base: 240, lg: 208 }, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#content" className="skip-link">
        {words.skip}
      </a>
      <AppShell.Header>
        <Header isOpen={isOpen} toggle={toggle} tools={tools} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" bg="var(--ground-rail)" aria-label={words.menu}>
        <Rail pathname={pathname} />
      </AppShell.Navbar>
      <AppShell.Main id="content">{content}</AppShell.Main>
    </AppShell>
  );
}

function Header({
  isOpen,
  toggle,
  tools,
}: {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly tools: ReactNode;
}) {
  const { environment, title, logo } = settings;
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.menu} />
        <Link to="/apps" className="brand">
          {logo && <img src={logo} alt="" height={24} />}
          <Text fw={600} truncate>
            {title}
          </Text>
        </Link>
        {environment && (
          <Badge radius="sm" autoContrast {...(environment.color ? { color: environment.color } : {})}>
            {environment.name}
          </Badge>
        )}
      </Group>
      <Group gap="sm" wrap="nowrap">
        {tools}
        <ConnectionDot />
        <SchemeToggle />
        <User />
      </Group>
    </Group>
  );
}

function User() {
  const { data: profile } = useQuery(read('getProfile', {}));
  const navigate = useNavigate();
  const logOut = async () => {
    await client.logout();
    session.set('none');
    queryClient.clear();
    await navigate({ to: '/login' });
  };
  if (!profile) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" size="compact-md" color="gray" c="var(--mantine-color-text)">
          <bdi>{profile.userName}</bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile">
          {words.profile}
        </Menu.Item>
        {profile.authScheme && <Menu.Item onClick={() => void logOut()}>{words.logOut}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

function Rail({ pathname }: { readonly pathname: string }) {
  const may = useMay();
  return (
    <nav>
      {railFor(may).map(({ to, label }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={label}
          active={pathname === to || pathname.startsWith(`${to}/`)}
          aria-current={pathname === to ? 'page' : undefined}
        />
      ))}
      {settings.links.map(({ href, label }) => (
        <NavLink key={href} href={href} label={label} />
      ))}
    </nav>
  );
}
