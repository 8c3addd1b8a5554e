import { useQuery } from '@tanstack/react-query';
import { both, type May, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { isOverIn } from '../../shell/states.js';
import { words } from './words.js';

export type Savepoint = AnswerOf<'listSavepoints'>['savepoints'][number];

/** What the caller may do to the savepoints of an application, as it stands. */
export function useSavepointActions(appid: string): {
  readonly order: May;
  readonly remove: (savepoint: Savepoint) => May;
} {
  const may = useMay();
  const { data: app } = useQuery(read('getApplication', { params: { appid } }));
  const isOver = isOverIn(app?.state);
  const mayWrite = unless(app?.canWrite === false, words.readOnly);
  return {
    order: both(may('startSavepoint'), mayWrite, unless(isOver, words.hasEnded)),
    remove: ({ state }) =>
      both(may('deleteSavepoint'), mayWrite, unless(state === 'IN_PROGRESS', words.underWay)),
  };
}

export function askToDelete(appid: string, { id }: Savepoint): void {
  confirm({
    title: words.deleteTitle(id),
    text: words.deleteText,
    verb: words.delete,
    isDangerous: true,
    async act() {
      await client.deleteSavepoint({ params: { appid, id } });
      said(words.deleted);
      await changed('listSavepoints');
    },
  });
}
