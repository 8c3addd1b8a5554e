import { useMemo, useState } from 'react';
import { both, type May, unless, useMay } from '../../../gateway/capabilities.js';
import { useDraft } from '../../../shell/draft.js';
import {
  type Applied,
  applied,
  type DraftAction,
  marked,
  newDraft,
  nextDraft,
  type PlanDraft,
  type PlanRequest,
} from '../plan-draft.js';
import type { LogicalShape } from '../plan-graph.js';
import type { PlanShape } from '../plan-shape.js';
import { words } from '../words.js';

export interface Editing {
  readonly may: May;
  /** Absent while nobody edits. */
  readonly draft: PlanDraft | undefined;
  readonly applied: Applied;
  /** The plan to be drawn: with a draft, what it brings and takes is marked. */
  readonly shape: LogicalShape;
  /** Operators that a line was drawn between, until they are connected. */
  readonly joining: { readonly from: string; readonly to: string } | undefined;
  begin(): void;
  add(request: PlanRequest): void;
  undo(step: number): void;
  rebase(plan: PlanShape): void;
  connect(from: string, to: string): void;
  end(): void;
}

/** A batch of changes to one plan; it survives a reload. */
export function useEditing({
  id,
  isLive,
  canWrite,
  plan,
}: {
  readonly id: string;
  readonly isLive: boolean;
  readonly canWrite: boolean;
  readonly plan: PlanShape;
}): Editing {
  const may = both(
    useMay()('changeLogicalPlan'),
    unless(!canWrite, words.readOnly),
    unless(!isLive, words.ended),
  );
  const { draft, setDraft, discard } = useDraft<PlanDraft>(`plan ${id}`);
  const [joining, join] = useState<Editing['joining']>();
  const result = useMemo(() => applied(draft ?? newDraft(plan)), [draft, plan]);
  const shape = useMemo(() => (draft ? marked(draft.base, result.plan) : plan), [draft, result, plan]);
  const act = (action: DraftAction) => draft && setDraft(nextDraft(draft, action));
  return {
    may,
    draft,
    applied: result,
    shape,
    joining,
    begin: () => setDraft(newDraft(plan)),
    add(request) {
      join(undefined);
      act({ type: 'add', request });
    },
    undo: (step) => act({ type: 'undo', step }),
    rebase: (next) => act({ type: 'rebase', plan: next }),
    connect: (from, to) => join({ from, to }),
    end() {
      join(undefined);
      discard();
    },
  };
}
