import { both, type May, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { hasEnded, operatorNames, type Row } from './rows.js';
import { words } from './words.js';

/** Whether a container may be killed as it stands; `canWrite` of its application. */
export function useMayKill(canWrite: boolean | undefined): (row: Row) => May {
  const may = useMay();
  return (row) =>
    both(
      may('killContainer'),
      unless(canWrite === false, words.readOnly),
      unless(hasEnded(row), words.hasEnded),
    );
}

export function askToKill(appid: string, row: Row): void {
  const { id } = row;
  confirm({
    title: words.killTitle(id),
    text: row.containerType === 'APP_MASTER' ? words.killMasterText : words.killText,
    effects: operatorNames(row).map(words.operatorMoves),
    verb: words.kill,
    isDangerous: true,
    typed: id,
    async act() {
      await client.killContainer({ params: { appid, containerId: id } });
      said(words.killing(id));
      await changed('listContainers', 'getContainer');
    },
  });
}
