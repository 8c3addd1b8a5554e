import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { queryClient, read } from '../../gateway/queries.js';
import { useDraft } from '../../shell/draft.js';
import { said } from '../../shell/notify.js';
import { alertsChanged } from './actions.js';
import { type AlertDraft, type AlertFields, bodyOf, conflictOf, isSame } from './alert-fields.js';
import { words } from './words.js';

/** What is typed for one alert, kept until it is saved, and saved only over what it began from. */
export function useAlertDraft(kept: AlertFields) {
  const { draft, setDraft, discard } = useDraft<AlertDraft>(`alert ${kept.name}`);
  const fields = draft?.fields ?? kept;
  const [conflict, setConflict] = useState<ReturnType<typeof conflictOf>>();
  const navigate = useNavigate();
  const saving = useMutation({
    mutationFn: async ({ isCertain }: { readonly isCertain: boolean }) => {
      const { alerts } = await queryClient.fetchQuery({ ...read('listAlerts', {}), staleTime: 0 });
      const now = alerts.find(({ name }) => name === fields.name);
      const found = isCertain ? undefined : conflictOf(draft?.base ?? kept, now);
      setConflict(found);
      if (found) return;
      await client.putAlert({ params: { name: fields.name }, body: bodyOf(fields) });
      discard();
      said(words.saved(fields.name));
      await alertsChanged();
      await navigate({ to: '/alerts' });
    },
  });
  return {
    fields,
    isChanged: !isSame(fields, kept),
    change: (part: Partial<AlertFields>) =>
      setDraft({ fields: { ...fields, ...part }, base: draft?.base ?? kept }),
    discard() {
      discard();
      setConflict(undefined);
      saving.reset();
    },
    conflict,
    error: saving.error,
    isSaving: saving.isPending,
    save: (isCertain = false) => saving.mutate({ isCertain }),
  };
}
