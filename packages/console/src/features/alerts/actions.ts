import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { failed, said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { bodyOf, fieldsOf } from './alert-fields.js';
import type { Alert } from './use-alerts.js';
import { words } from './words.js';

export const alertsChanged = () => changed('listAlerts', 'listAlertHistory');

export async function setDisabled(alert: Alert, disabled: boolean): Promise<void> {
  try {
    await client.putAlert({
      params: { name: alert.name },
      body: { ...bodyOf(fieldsOf(alert)), disabled },
    });
    said(disabled ? words.wasDisabled(alert.name) : words.enabled(alert.name));
  } catch (error) {
    failed(words.changing, error);
  }
  await alertsChanged();
}

export function askToRemove({ name }: Alert): void {
  confirm({
    title: words.removeTitle(name),
    text: words.removeText,
    verb: words.remove,
    isDangerous: true,
    async act() {
      await client.deleteAlert({ params: { name } });
      said(words.removed(name));
      await alertsChanged();
    },
  });
}

export function askToRemoveTemplate(name: string): void {
  confirm({
    title: words.templateRemoveTitle(name),
    text: words.templateRemoveText,
    verb: words.remove,
    isDangerous: true,
    async act() {
      await client.deleteAlertTemplate({ params: { name } });
      said(words.templateRemoved(name));
      await changed('listAlertTemplates');
    },
  });
}
