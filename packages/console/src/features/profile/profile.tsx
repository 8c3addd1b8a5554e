import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { type AnswerOf, read } from '../../gateway/queries.js';
import { Facts } from '../../shell/facts.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { Panel } from '../../shell/panel.js';
import { OwnPassword } from './own-password.js';
import { OwnTokens } from './own-tokens.js';
import { Sessions } from './sessions.js';
import { Taste } from './taste.js';
import { words } from './words.js';

export default function Profile() {
  const query = useQuery(read('getProfile', {}));
  const may = useMay();
  return (
    <Page title={words.title}>
      <Loaded query={query} what={words.title} lines={4}>
        {(profile) => (
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, md: 3 }}>
              <Who profile={profile} />
              <Taste />
              {profile.authScheme !== undefined && <OwnPassword profile={profile} />}
            </SimpleGrid>
            <OwnTokens profile={profile} />
            {may('listOwnSessions').ok && <Sessions />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Who({ profile }: { readonly profile: AnswerOf<'getProfile'> }) {
  return (
    <Panel title={words.who}>
      <Facts
        facts={[
          [words.userName, <bdi key="name">{profile.userName}</bdi>],
          [words.scheme, profile.authScheme ?? words.none],
          [words.roles, profile.roles.join(', ') || words.none],
          [
            words.permissions,
            <Group key="all" gap={4}>
              {profile.permissions.length}
            </Group>,
          ],
        ]}
      />
    </Panel>
  );
}
