import { Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { duration } from '../../format/duration.js';
import { useMay } from '../../gateway/capabilities.js';
import { DoItem } from '../../shell/do.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import { useNow } from '../../shell/ticker.js';
import { Since } from '../../shell/time.js';
import { askToRemove, setDisabled } from './actions.js';
import { ActivationStrip } from './activation-strip.js';
import classes from './alerts.module.css';
import { troubleOf } from './rows.js';
import type { Activation } from './strip.js';
import type { Alert } from './use-alerts.js';
import { words } from './words.js';

const day = 24 * 60 * 60_000;

export function AlertLine({
  alert,
  activations,
}: {
  readonly alert: Alert;
  readonly activations: readonly Activation[];
}) {
  const now = useNow();
  const trouble = troubleOf(alert);
  return (
    <li className={classes['row']}>
      <AlertState alert={alert} />
      <div className={classes['what']}>
        <Link to="/alerts/edit" search={{ name: alert.name }}>
          <Name>{alert.name}</Name>
        </Link>
        <Text size="sm" className={`soft ${classes['text']}`} dir="auto" lineClamp={2}>
          {[
            alert.description,
            words.of(alert.owner),
            ...(alert.timeThresholdMillis > 0 ? [words.holdsFor(duration(alert.timeThresholdMillis))] : []),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </Text>
        {trouble !== undefined && (
          <Text size="sm" data-state="warning" className={classes['text']} dir="auto">
            <span aria-hidden>▲ </span>
            {trouble}
          </Text>
        )}
      </div>
      <div className={classes['past']}>
        <ActivationStrip activations={activations} from={now - day} to={now} label={words.lastDay} />
      </div>
      <div className={classes['menu']}>
        <AlertMenu alert={alert} />
      </div>
    </li>
  );
}

function AlertState({ alert: { disabled, alertStatus } }: { readonly alert: Alert }) {
  if (alertStatus.isInAlert)
    return (
      <span>
        <State state={words.active} kind="failed" />{' '}
        <span className="soft">
          <Since at={alertStatus.inTime} />
        </span>
      </span>
    );
  return disabled ? (
    <State state={words.disabled} kind="ended" />
  ) : (
    <State state={words.quiet} kind="running" />
  );
}

function AlertMenu({ alert }: { readonly alert: Alert }) {
  const may = useMay();
  return (
    <MoreMenu label={words.actionsOf(alert.name)}>
      <Menu.Item renderRoot={(props) => <Link to="/alerts/edit" search={{ name: alert.name }} {...props} />}>
        {words.edit}
      </Menu.Item>
      <DoItem may={may('putAlert')} onClick={() => setDisabled(alert, !alert.disabled)}>
        {alert.disabled ? words.enable : words.disable}
      </DoItem>
      <DoItem may={may('deleteAlert')} onClick={() => askToRemove(alert)} danger>
        {words.remove}
      </DoItem>
    </MoreMenu>
  );
}
