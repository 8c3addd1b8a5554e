import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { queryClient, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { words } from './words.js';

export function RestartButton() {
  const may = useMay();
  return (
    <Do may={may('restartGateway')} onClick={askToRestart}>
      {words.restart}
    </Do>
  );
}

/** All that waits for a restart, in one place. */
export function RestartBanner() {
  const may = useMay();
  const { data } = useQuery({ ...read('listConfigIssues', {}), refetchInterval: 30_000 });
  const issueOf = (key: string) => data?.issues.find((issue) => issue.key === key);
  const [restart, start] = [issueOf('RESTART_NEEDED'), issueOf('HOST_RESTART_NEEDED')];
  return (
    <>
      {restart && (
        <Alert color="orange" variant="outline" title={words.restartWaits}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex={1} miw={240}>
              {restart.description}
            </Text>
            {may('restartGateway').ok && (
              <Button size="compact-md" variant="default" onClick={askToRestart}>
                {words.restartShort}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {start && (
        <Alert color="orange" variant="outline" title={words.hostWaits}>
          <Text size="sm">{start.description}</Text>
        </Alert>
      )}
    </>
  );
}

function askToRestart(): void {
  confirm({
    title: words.restartTitle,
    text: words.restartText,
    verb: words.restartShort,
    async act() {
      const { jvmName } = await client.getAbout();
      await client.restartGateway();
      await untilAnother(jvmName);
      said(words.restarted);
      // The session is over: reading anew finds out, and the page asks to log in and stays as it is.
      void queryClient.invalidateQueries();
    },
  });
}

const lookMillis = 400;

/** Resolves when the gateway has begun anew: anybody may ask for its name, also while nobody is logged in. */
async function untilAnother(before: string): Promise<void> {
  for (;;) {
    const now = await client.getAbout().catch(() => undefined);
    if (now && now.jvmName !== before) return;
    await new Promise((resolve) => setTimeout(resolve, lookMillis));
  }
}
