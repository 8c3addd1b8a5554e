import { Button } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { Empty } from './empty.js';
import { Page } from './page.js';
import { words } from './words.js';

export const Bare = () => <Outlet />;

export function Missing() {
  return (
    <Page title={words.pageMissing}>
      <Empty
        title={words.pageMissing}
        action={
          <Button component={Link} to="/apps">
            {words.toApplications}
          </Button>
        }
      >
        {words.pageMissingHint}
      </Empty>
    </Page>
  );
}
