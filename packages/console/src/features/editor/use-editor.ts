import { useMemo, useRef, useState } from 'react';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { useDraft } from '../../shell/draft.js';
import { said } from '../../shell/notify.js';
import { isClientError } from '../../shell/words.js';
import { type Definition, readText, writeText } from './definition.js';
import { type AppRef, type Kept, readKept } from './kept.js';
import { words } from './words.js';

interface Draft {
  readonly text: string;
  /** What it was made from. */
  readonly base: string;
  readonly etag: string;
}

/** What was saved meanwhile by somebody else, while mine was made from `base`. */
export interface Conflict {
  readonly base: string;
  readonly theirs: Kept;
}

export interface Editor {
  readonly text: string;
  readonly isChanged: boolean;
  /** Of the text; of the last one that was JSON while this is none. */
  readonly definition: Definition;
  /** Why the text can't be drawn. */
  readonly unreadable: string | undefined;
  readonly isSaving: boolean;
  readonly error: Error | undefined;
  readonly conflict: Conflict | undefined;
  setText(text: string): void;
  change(change: (definition: Definition) => Definition): void;
  save(): Promise<void>;
  discard(): void;
  /** Goes on from what somebody else has saved, with this text; it is not saved by that. */
  settle(text: string): void;
  putOff(): void;
}

export function useEditor(ref: AppRef, kept: Kept): Editor {
  const { draft, setDraft, discard } = useDraft<Draft>(`editor ${JSON.stringify(Object.values(ref))}`);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<Error>();
  const [conflict, setConflict] = useState<Conflict>();
  const text = draft?.text ?? kept.text;
  const base = draft ?? { base: kept.text, etag: kept.etag };
  const read = useMemo(() => readText(text), [text]);
  const last = useRef<Definition>({});
  if (read.ok) last.current = read.definition;
  const setText = (next: string) => setDraft({ text: next, base: base.base, etag: base.etag });

  async function save(): Promise<void> {
    if (!read.ok) return;
    setSaving(true);
    setError(undefined);
    try {
      const outcome = await saved(ref, read.definition, base);
      if ('theirs' in outcome) return setConflict({ base: base.base, theirs: outcome.theirs });
      await changed('getPackageApplication', 'getPackage', 'listPackageApplications');
      discard();
      said(outcome.problems === '' ? words.saved : words.savedWithProblems);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setSaving(false);
    }
  }

  return {
    text,
    isChanged: draft !== undefined && draft.text !== kept.text,
    definition: last.current,
    unreadable: read.ok ? undefined : read.message,
    isSaving,
    error,
    conflict,
    setText,
    change: (change) => {
      if (read.ok) setText(writeText(change(read.definition)));
    },
    save,
    discard,
    settle(next) {
      if (conflict) {
        const { text: theirs, etag } = conflict.theirs;
        setDraft({ text: next, base: theirs, etag });
        // Nothing of mine is left.
        if (next === theirs) void changed('getPackageApplication').then(discard);
      }
      setConflict(undefined);
    },
    putOff: () => setConflict(undefined),
  };
}

/**
 * The etag is that of the whole package. Where only something else in it has changed, the definition is still what it was made from,
 * and it is saved on top of that.
 */
async function saved(
  params: AppRef,
  body: Definition,
  { base, etag }: { readonly base: string; readonly etag: string },
): Promise<{ readonly problems: string } | { readonly theirs: Kept }> {
  try {
    return await put(params, body, etag);
  } catch (error) {
    if (!isClientError(error) || (error.status !== 412 && error.status !== 409)) throw error;
    const theirs = await readKept(params);
    if (theirs.text !== base) return { theirs };
    return put(params, body, theirs.etag);
  }
}

async function put(params: AppRef, body: Definition, etag: string): Promise<{ readonly problems: string }> {
  const { error = '' } = await client.putPackageApplication({
    params,
    body: asBody(body),
    headers: { 'if-match': etag },
  });
  return { problems: error };
}

type Body = Parameters<typeof client.putPackageApplication>[0]['body'];

/** Whether it has the form of a definition only the gateway says: it names each place where it has not. */
const asBody = (definition: Definition): Body => definition as Body;
