import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Loaded, Placeholder } from '../../shell/loaded.js';
import { AddWidget } from './add-widget.js';
import classes from './app-data.module.css';
import { added, usualLayout } from './layout.js';
import { type Source, sourcesOf } from './protocol.js';
import { useLayout } from './use-layout.js';
import { WidgetPanel } from './widget-panel.js';
import { words } from './words.js';

/** What an application tells by its data sources, laid out as the user wants it. */
export default function Dashboard() {
  const { id } = useParams({ from: '/framed/apps/$id/data' });
  const query = useQuery(read('getApplication', { params: { appid: id } }));
  return (
    <Loaded query={query} what={words.title} lines={6}>
      {({ name, appDataSources, finishedTime }) => {
        const sources = sourcesOf(appDataSources);
        return finishedTime > 0 ? (
          <Empty title={words.title}>{words.ended}</Empty>
        ) : sources.length === 0 ? (
          <Empty title={words.none}>{words.noneHint}</Empty>
        ) : (
          <Widgets key={name} appName={name} sources={sources} />
        );
      }}
    </Loaded>
  );
}

function Widgets({ appName, sources }: { readonly appName: string; readonly sources: readonly Source[] }) {
  const names = sources.map(({ name }) => name);
  const { layout, isUnreadable, isLoading, change } = useLayout(appName, names);
  const [isAdding, { open, close }] = useDisclosure();
  if (isLoading) return <Placeholder lines={6} />;
  return (
    <Stack gap="sm">
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => change(usualLayout(names))}>
          {words.usual}
        </Button>
        <Button onClick={open}>{words.add}</Button>
      </Group>
      {isUnreadable && (
        <Alert color="yellow" variant="outline">
          <Text size="sm">{words.unreadable}</Text>
        </Alert>
      )}
      {layout.widgets.length === 0 ? (
        <Empty title={words.noWidgets}>{words.noWidgetsHint}</Empty>
      ) : (
        <div className={classes['grid']}>
          {layout.widgets.map((widget) => (
            <WidgetPanel
              key={widget.id}
              widget={widget}
              source={sources.find(({ name }) => name === widget.source)}
              layout={layout}
              change={change}
            />
          ))}
        </div>
      )}
      {isAdding && (
        <AddWidget
          sources={sources}
          close={close}
          add={(widget) => {
            change(added(layout, widget));
            close();
          }}
        />
      )}
    </Stack>
  );
}
