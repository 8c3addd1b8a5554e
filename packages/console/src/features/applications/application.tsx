import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { duration } from '../../format/duration.js';
import { rate } from '../../format/number.js';
import { read } from '../../gateway/queries.js';
import { useTopic } from '../../gateway/use-topic.js';
import { useActiveTabInView } from '../../shell/active-tab.js';
import { Do, DoItem } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { State } from '../../shell/state.js';
import { isOverIn } from '../../shell/states.js';
import classes from '../../shell/tab-line.module.css';
import { askToKill, askToRestart, askToShutDown, useApplicationActions } from './actions.js';
import type { Row } from './rows.js';
import { tabs } from './tabs.js';
import { words } from './words.js';

export default function Application() {
  const { id } = useParams({ from: '/framed/apps/$id' });
  const query = useQuery(read('getApplication', { params: { appid: id } }));
  return (
    <Loaded query={query} what={id} lines={4}>
      {(app) => <Shown app={app} />}
    </Loaded>
  );
}

function Shown({ app }: { readonly app: Row }) {
  const line = useActiveTabInView<HTMLElement>();
  const live = useTopic(isOverIn(app.state) ? undefined : `applications.${app.id}`);
  const { state = app.state, tuplesProcessedPSMA, tuplesEmittedPSMA, latency } = live?.data ?? {};
  return (
    <Page
      title={app.name}
      heading={<Name>{app.name}</Name>}
      beside={
        <>
          <State state={state} />
          {live && (
            <Text size="sm" className="figure">
              {words.figures(rate(tuplesProcessedPSMA), rate(tuplesEmittedPSMA), duration(latency))}
            </Text>
          )}
        </>
      }
      actions={<Actions app={{ ...app, state }} />}
    >
      <Box component="nav" ref={line} className={classes['tabs'] ?? ''} mb="md" aria-label={words.tabs}>
        {tabs.map(({ label, to }) => (
          <Link
            key={to}
            to={to}
            params={{ id: app.id }}
            activeOptions={{ exact: to === '/apps/$id' }}
            className={classes['tab']}
          >
            {label}
          </Link>
        ))}
      </Box>
      <Outlet />
    </Page>
  );
}

function Actions({ app }: { readonly app: Row }) {
  const { shutDown, kill, restart, drains } = useApplicationActions()(app);
  const isEnded = isOverIn(app.state);
  return (
    <>
      {isEnded ? (
        <Do may={restart} onClick={() => askToRestart(app)}>
          {words.restart}
        </Do>
      ) : (
        <Do may={shutDown} onClick={() => askToShutDown(app, { drains })}>
          {words.shutDown}
        </Do>
      )}
      <MoreMenu label={words.actionsOf(app.name)} isBesideTitle>
        <DoItem may={kill} onClick={() => askToKill(app)} danger>
          {words.kill}
        </DoItem>
      </MoreMenu>
    </>
  );
}
