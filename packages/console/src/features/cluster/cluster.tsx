import { SimpleGrid, Stack } from '@mantine/core';
import { Page } from '../../shell/page.js';
import { About } from './about.js';
import { Configuration } from './configuration.js';
import { Links } from './links.js';
import { LoadPanel } from './load.js';
import { Queues } from './queues.js';
import { words } from './words.js';

export default function Cluster() {
  return (
    <Page title={words.title}>
      <Stack gap="md">
        <LoadPanel />
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
          <Queues />
          <About />
          <Links />
        </SimpleGrid>
        <Configuration />
      </Stack>
    </Page>
  );
}
