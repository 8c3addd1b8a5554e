import { DoItem } from '../../shell/do.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { askToKill, askToRestart, askToShutDown, useApplicationActions } from './actions.js';
import type { Row } from './rows.js';
import { words } from './words.js';

export function ActionsMenu({ app }: { readonly app: Row }) {
  const { shutDown, kill, restart, drains } = useApplicationActions()(app);
  return (
    <MoreMenu label={words.actionsOf(app.name)}>
      <DoItem may={shutDown} onClick={() => askToShutDown(app, { drains })}>
        {words.shutDown}
      </DoItem>
      <DoItem may={restart} onClick={() => askToRestart(app)}>
        {words.restart}
      </DoItem>
      <DoItem may={kill} onClick={() => askToKill(app)} danger>
        {words.kill}
      </DoItem>
    </MoreMenu>
  );
}
