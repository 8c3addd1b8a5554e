import { useState } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { DoItem } from '../../shell/do.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { ResetPassword } from './reset-password.js';
import type { User } from './user.js';
import { UserRoles } from './user-roles.js';
import { UserTokens } from './user-tokens.js';
import { words } from './words.js';

const dialogs = { roles: UserRoles, password: ResetPassword, tokens: UserTokens } as const;

export function UserMenu({ user, isOwn }: { readonly user: User; readonly isOwn: boolean }) {
  const may = useMay();
  const [opened, setOpened] = useState<keyof typeof dialogs>();
  const Dialog = opened && dialogs[opened];
  return (
    <>
      <MoreMenu label={words.actionsOf(user.userName)}>
        <DoItem may={may('createUser')} onClick={() => setOpened('roles')}>
          {words.changeRoles}
        </DoItem>
        <DoItem may={may('createUser')} onClick={() => setOpened('password')}>
          {words.resetPassword}
        </DoItem>
        <DoItem may={may('listTokens')} onClick={() => setOpened('tokens')}>
          {words.apiTokens}
        </DoItem>
        <DoItem
          may={both(may('deleteUser'), unless(isOwn, words.notYourself))}
          onClick={() => askToDelete(user)}
          danger
        >
          {words.deleteUser}
        </DoItem>
      </MoreMenu>
      {Dialog && <Dialog user={user} isOwn={isOwn} close={() => setOpened(undefined)} />}
    </>
  );
}

function askToDelete({ userName }: User): void {
  confirm({
    title: words.deleteTitle(userName),
    effects: words.deleteEffects,
    verb: words.deleteUser,
    isDangerous: true,
    typed: userName,
    async act() {
      await client.deleteUser({ params: { user: userName } });
      said(words.deleted(userName));
      await changed('listUsers');
    },
  });
}
