import { useQuery } from '@tanstack/react-query';
import type { RestClient } from 'headgate/client';
import { type AnswerOf, read } from './queries.js';
import { words } from './words.js';

export type OperationId = keyof RestClient;

/** Whether somebody may do something, and why not. `checking` while nobody knows. */
export type May = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The client knows methods and paths. */
export const capabilities = read('getCapabilities', { query: { paths: false } });

/**
 * Whether the caller may do an operation on this gateway: their rights, and what the cluster's driver offers.
 * Rights to one thing (`canWrite`) and its state are the caller's to add: `both(may('killApplication'), ...)`.
 */
export function useMay(): (id: OperationId) => May {
  const { data } = useQuery({ ...capabilities, staleTime: 60_000, select: mayBy });
  return data ?? checking;
}

/** Whether the cluster offers a facet: for what an operation does there besides. Not while nobody knows. */
export function useOffers(): (facet: string) => boolean {
  const { data } = useQuery({ ...capabilities, staleTime: 60_000, select: facetsOf });
  return (facet) => data?.has(facet) === true;
}

const facetsOf = (answer: AnswerOf<'getCapabilities'>): ReadonlySet<string> => new Set(answer.capabilities);

const checking = (): May => ({ ok: false, reason: words.checking });

/** By id, made once for each answer: lists ask for every line. */
function mayBy({ operations }: AnswerOf<'getCapabilities'>): (id: OperationId) => May {
  const known = new Map(operations.map((one) => [one.id, one]));
  return (id) => {
    const operation = known.get(id);
    if (!operation) return { ok: false, reason: words.notThere };
    return operation.allowed ? { ok: true } : { ok: false, reason: operation.reason ?? words.notAllowed };
  };
}

/** The first reason that stands against it. */
export const both = (...all: readonly May[]): May => all.find((one) => !one.ok) ?? { ok: true };

export const unless = (isAgainst: boolean, reason: string): May =>
  isAgainst ? { ok: false, reason } : { ok: true };
