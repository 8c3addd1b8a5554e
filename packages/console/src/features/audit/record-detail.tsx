import { Code, Drawer, Stack, Text } from '@mantine/core';
import { unknown } from '../../format/number.js';
import { momentWithOffset } from '../../format/time.js';
import { usePreferences } from '../../gateway/preferences.js';
import { Facts } from '../../shell/facts.js';
import { Result } from './result.js';
import type { AuditRecord } from './use-records.js';
import { words } from './words.js';

export function RecordDetail({
  record,
  close,
}: {
  readonly record: AuditRecord;
  readonly close: () => void;
}) {
  const { zone } = usePreferences();
  const { facts } = words;
  return (
    <Drawer opened onClose={close} position="right" title={record.operation} size="lg">
      <Stack>
        <Facts
          facts={[
            [facts.time, momentWithOffset(record.time, zone)],
            [facts.result, <Result key="result" result={record.result} />],
            [facts.user, <bdi key="user">{record.userName || words.nobody}</bdi>],
            [facts.scheme, record.authScheme ?? unknown],
            [facts.address, record.remoteAddress],
            [facts.session, record.session ?? unknown],
            [facts.method, record.method],
            [facts.target, record.target],
            [facts.status, record.status || unknown],
            [facts.code, record.code ?? unknown],
            [facts.request, record.requestId],
            [facts.id, record.id],
          ]}
        />
        <Text size="sm" fw={600}>
          {words.input}
        </Text>
        {record.input === undefined ? (
          <Text size="sm">{words.noInput}</Text>
        ) : (
          <Code block tabIndex={0}>
            {JSON.stringify(record.input, null, 2)}
          </Code>
        )}
      </Stack>
    </Drawer>
  );
}
