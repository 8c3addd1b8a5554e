import { useState } from 'react';
import { client } from '../../../gateway/client.js';
import { changed, queryClient, readText } from '../../../gateway/queries.js';
import { said } from '../../../shell/notify.js';
import { isClientError } from '../../../shell/words.js';
import type { PlanDraft } from '../plan-draft.js';
import { differenceOf, type PlanDifference, type PlanShape, planShape } from '../plan-shape.js';
import { refusalsOf } from '../refusals.js';
import { words } from '../words.js';
import type { Editing } from './use-editing.js';

export interface Sending {
  readonly isSending: boolean;
  readonly error: Error | undefined;
  readonly refusals: ReadonlyMap<number, string>;
  /** What others have changed; nothing was sent. */
  readonly meanwhile: readonly PlanDifference[] | undefined;
  send(): Promise<void>;
  /** Takes the plan as it is now for the one that the batch was made for. */
  rebase(): void;
}

type State =
  | { readonly step: 'ready' | 'sending' }
  | { readonly step: 'refused'; readonly error: Error }
  | { readonly step: 'meanwhile'; readonly plan: PlanShape };

/** Sends a batch in one request, unless the plan is not the one any more that it was made for. */
export function useSending(id: string, editing: Editing, { base, requests }: PlanDraft): Sending {
  const [state, set] = useState<State>({ step: 'ready' });
  const send = async () => {
    set({ step: 'sending' });
    try {
      const text = await queryClient.fetchQuery({
        ...readText('getLogicalPlan', { params: { appid: id } }),
        staleTime: 0,
      });
      const now = planShape(text);
      if (differenceOf(base, now).length > 0) {
        set({ step: 'meanwhile', plan: now });
        return;
      }
      await client.changeLogicalPlan({ params: { appid: id }, body: { requests: [...requests] } });
      await changed('getLogicalPlan', 'listLogicalOperators', 'getPhysicalPlan', 'listPhysicalOperators');
      said(words.sent);
      editing.end();
    } catch (thrown) {
      set({ step: 'refused', error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
    }
  };
  const error = state.step === 'refused' ? state.error : undefined;
  return {
    isSending: state.step === 'sending',
    error,
    refusals: refusalsOf(isClientError(error) ? error.details : undefined),
    meanwhile: state.step === 'meanwhile' ? differenceOf(base, state.plan) : undefined,
    send,
    rebase() {
      if (state.step === 'meanwhile') editing.rebase(state.plan);
      set({ step: 'ready' });
    },
  };
}
