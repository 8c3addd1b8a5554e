import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { useWork } from '../../shell/use-work.js';
import { changedRoles, changesOf, type Draft, lostRights, type Role } from './matrix.js';
import { words } from './words.js';

/** What was set and not saved, as sentences, with one button for all of it. */
export function MatrixChanges({
  roles,
  draft,
  discard,
}: {
  readonly roles: readonly Role[];
  readonly draft: Draft;
  readonly discard: () => void;
}) {
  const { data: profile } = useQuery(read('getProfile', {}));
  const { isWorking, error, run } = useWork();
  const changes = changesOf(roles, draft);
  if (changes.length === 0) return error && <Failure error={error} />;
  const write = async () => {
    // One after the other: where one is refused, what was written before it is no change any more.
    try {
      for (const { name, permissions } of changedRoles(roles, draft))
        await client.putRole({ params: { role: name }, body: { permissions: [...permissions] } });
      discard();
      said(words.rolesChanged);
    } finally {
      await changed('listRoles', 'listUsers', 'getProfile', 'getCapabilities');
    }
  };
  const save = () => {
    const lost = profile ? lostRights(roles, draft, profile.roles) : [];
    if (lost.length === 0 || !profile) return void run(write);
    confirm({
      title: words.loseTitle,
      effects: words.loseEffects(lost),
      verb: words.save,
      isDangerous: true,
      typed: profile.userName,
      act: write,
    });
  };
  return (
    <Stack gap="xs" className="panel" role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {words.changes(changes.length)}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="compact-md" onClick={discard} disabled={isWorking}>
            {words.discard}
          </Button>
          <Button size="compact-md" onClick={save} loading={isWorking}>
            {words.save}
          </Button>
        </Group>
      </Group>
      <List size="sm" listStyleType="none" mah={140} style={{ overflow: 'auto' }}>
        {changes.map(({ role, permission, isGiven }) => (
          <List.Item key={`${role} ${permission}`}>
            <span data-state={isGiven ? 'running' : 'failed'}>{isGiven ? '+' : '−'}</span> <bdi>{role}</bdi>{' '}
            {isGiven ? words.gains : words.loses} <code>{permission}</code>
          </List.Item>
        ))}
      </List>
      {error && <Failure error={error} />}
    </Stack>
  );
}
