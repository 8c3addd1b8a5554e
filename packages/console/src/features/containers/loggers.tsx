import { Anchor, Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { failed, said } from '../../shell/notify.js';
import { TableHead } from '../../shell/table-head.js';
import { isLoggerLevel, isTarget, type LoggerLevel, loggerLevels, patternFor } from './logger-names.js';
import { words } from './words.js';

const most = 20;

/** Which loggers there are, what was set for them, and the way to set it. */
export function Loggers({
  appid,
  canWrite,
}: {
  readonly appid: string;
  readonly canWrite: boolean | undefined;
}) {
  const [typed, setTyped] = useState('');
  const [level, setLevel] = useState<LoggerLevel>('DEBUG');
  const [asked] = useDebouncedValue(typed.trim(), 300);
  const found = useQuery(read('searchLoggers', { params: { appid }, query: { pattern: patternFor(asked) } }));
  const set = useQuery(read('listLoggers', { params: { appid } }));
  const may = useMay();
  const target = typed.trim();
  const maySet = both(
    may('setLoggers'),
    unless(canWrite === false, words.readOnly),
    unless(!isTarget(target), words.notTarget),
  );
  const apply = async () => {
    try {
      await client.setLoggers({ params: { appid }, body: { loggers: [{ target, logLevel: level }] } });
      said(words.levelSet(target, level));
      await changed('listLoggers', 'searchLoggers');
    } catch (error) {
      failed(words.levels, error);
    }
  };
  return (
    <Stack gap="sm" component="section" className="panel">
      <Title order={3} fz="md">
        {words.levels}
      </Title>
      <Group
        gap="sm"
        align="end"
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (maySet.ok) void apply();
        }}
      >
        <TextInput
          label={words.target}
          description={words.levelsHint}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          flex="1 1 260px"
          maw={480}
        />
        <Select
          label={words.level}
          data={[...loggerLevels]}
          value={level}
          allowDeselect={false}
          onChange={(value) => {
            if (isLoggerLevel(value)) setLevel(value);
          }}
          w={110}
        />
        <Do may={maySet} onClick={apply}>
          {words.set}
        </Do>
      </Group>
      {set.data && set.data.loggers.length > 0 && (
        <Text size="sm">
          {words.setNow}: {set.data.loggers.map((one) => `${one.target} ${one.logLevel}`).join(', ')}
        </Text>
      )}
      <Loaded query={found} what={words.find}>
        {({ loggers }) =>
          loggers.length === 0 ? (
            <Text size="sm">{words.noLoggers}</Text>
          ) : (
            <Found loggers={loggers} onChoose={setTyped} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function Found({
  loggers,
  onChoose,
}: {
  readonly loggers: readonly { readonly name: string; readonly level: string }[];
  readonly onChoose: (name: string) => void;
}) {
  return (
    <>
      <Table aria-label={words.logger} fz="sm" maw={640}>
        <TableHead columns={[words.logger, words.level]} />
        <Table.Tbody>
          {loggers.slice(0, most).map(({ name, level }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component="button" type="button" size="sm" onClick={() => onChoose(name)}>
                  <bdi>{name}</bdi>
                </Anchor>
              </Table.Td>
              <Table.Td>{level || words.asIs}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {loggers.length > most && <Text size="sm">{words.firstOnly(most, loggers.length)}</Text>}
    </>
  );
}
