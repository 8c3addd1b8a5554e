import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { saveFrom } from '../../gateway/save-file.js';
import { DoItem } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { confirm } from '../../shell/question.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { words } from './words.js';

interface Row {
  readonly user: string;
  readonly name: string;
  readonly version: string;
  readonly appPackageName?: string | undefined;
  readonly modificationTime: number;
  readonly canWrite: boolean;
}

/** Properties for launches, kept apart from the packages that they are for. */
export function ConfigPackages({ q = '' }: { readonly q: string | undefined }) {
  const query = useQuery(read('listConfigPackages', {}));
  const wanted = q.trim().toLocaleLowerCase();
  return (
    <Loaded query={query} what={words.configPackages} lines={4}>
      {({ configPackages }) => {
        const rows = configPackages.filter(({ user, name, appPackageName = '' }) =>
          [user, name, appPackageName].some((text) => text.toLocaleLowerCase().includes(wanted)),
        );
        if (configPackages.length === 0)
          return <Empty title={words.noConfigPackage}>{words.noConfigPackageHint}</Empty>;
        if (rows.length === 0)
          return <Empty title={words.noMatch}>{words.noMatchHint(configPackages.length)}</Empty>;
        return (
          <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label={words.configPackages}>
              <TableHead
                columns={[
                  words.columns.name,
                  words.columns.version,
                  words.columns.meantFor,
                  words.columns.owner,
                  words.columns.changed,
                  { unseen: words.columns.actions },
                ]}
              />
              <Table.Tbody>
                {rows.map((row) => (
                  <Line key={JSON.stringify([row.user, row.name])} row={row} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        );
      }}
    </Loaded>
  );
}

const Line = ({ row }: { readonly row: Row }) => (
  <Table.Tr>
    <Table.Td>
      <Name>{row.name}</Name>
    </Table.Td>
    <Table.Td>
      <bdi>{row.version}</bdi>
    </Table.Td>
    <Table.Td>{row.appPackageName ?? <Text className="soft">{words.anyPackage}</Text>}</Table.Td>
    <Table.Td>
      <Name>{row.user}</Name>
    </Table.Td>
    <Table.Td>
      <Ago at={row.modificationTime} />
    </Table.Td>
    <Table.Td>
      <Actions row={row} />
    </Table.Td>
  </Table.Tr>
);

function Actions({ row }: { readonly row: Row }) {
  const { user, name, canWrite } = row;
  const may = useMay();
  const download = () =>
    saveFrom(client.urlOf('downloadConfigPackage', { params: { user, name } }), `${name}.apc`);
  const remove = () =>
    confirm({
      title: words.deleteTitle(name),
      text: words.deleteConfigText,
      verb: words.delete,
      isDangerous: true,
      typed: name,
      async act() {
        await client.deleteConfigPackage({ params: { user, name } });
        await changed('listConfigPackages');
      },
    });
  return (
    <MoreMenu label={words.actionsOf(name)}>
      <DoItem may={may('downloadConfigPackage')} onClick={download}>
        {words.download}
      </DoItem>
      <DoItem
        may={both(may('deleteConfigPackage'), unless(!canWrite, words.notYours))}
        onClick={remove}
        danger
      >
        {words.delete}
      </DoItem>
    </MoreMenu>
  );
}
