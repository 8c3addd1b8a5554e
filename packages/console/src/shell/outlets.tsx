import { Button, Center, Text } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { Page } from './page.js';
import { words } from './words.js';

export const Bare = () => <Outlet />;

export function Missing() {
  return (
    <Center mih="100vh" p="md" component="main">
      <div>
        <Page title={words.pageMissing}>
          <Text className="soft" mb="md">
            {words.pageMissingHint}
          </Text>
          <Button component={Link} to="/apps">
            {words.toApplications}
          </Button>
        </Page>
      </div>
    </Center>
  );
}
