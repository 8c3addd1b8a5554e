import { ActionIcon, Menu } from '@mantine/core';
import { DoItem } from '../../shell/do.js';
import { askToKill, askToRestart, askToShutDown, useApplicationActions } from './actions.js';
import type { Row } from './rows.js';
import { words } from './words.js';

export function ActionsMenu({ app }: { readonly app: Row }) {
  const { shutDown, kill, restart } = useApplicationActions()(app);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          aria-label={words.actionsOf(app.name)}
        >
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <DoItem may={shutDown} onClick={() => askToShutDown(app)}>
          {words.shutDown}
        </DoItem>
        <DoItem may={restart} onClick={() => askToRestart(app)}>
          {words.restart}
        </DoItem>
        <DoItem may={kill} onClick={() => askToKill(app)} danger>
          {words.kill}
        </DoItem>
      </Menu.Dropdown>
    </Menu>
  );
}
