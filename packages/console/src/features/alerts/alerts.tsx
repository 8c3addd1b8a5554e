import { Button, Group } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { AlertLine } from './alert-line.js';
import classes from './alerts.module.css';
import { activationsOf, inOrder } from './rows.js';
import { AlertTabs } from './tabs.js';
import { type Alert, useAlertHistory, useAlerts } from './use-alerts.js';
import { words } from './words.js';

export default function Alerts() {
  const query = useAlerts();
  return (
    <Page title={words.title} actions={<Add />}>
      <AlertTabs />
      <Loaded query={query} what={words.title} lines={6}>
        {({ alerts }) =>
          alerts.length === 0 ? (
            <Empty
              title={words.none}
              action={
                <Group>
                  <Button component={Link} to="/alerts/templates" variant="default">
                    {words.fromTemplate}
                  </Button>
                  <Add />
                </Group>
              }
            >
              {words.noneHint}
            </Empty>
          ) : (
            <List alerts={alerts} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** What is known of the past comes when it comes: the list does not wait for it. */
function List({ alerts }: { readonly alerts: readonly Alert[] }) {
  const { data } = useAlertHistory();
  const activations = activationsOf(alerts, data?.history ?? []);
  return (
    <ul className={classes['list']}>
      {inOrder(alerts).map((alert) => (
        <AlertLine key={alert.name} alert={alert} activations={activations.get(alert.name) ?? []} />
      ))}
    </ul>
  );
}

function Add() {
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Do may={may('putAlert')} variant="filled" onClick={() => navigate({ to: '/alerts/edit' })}>
      {words.add}
    </Do>
  );
}
