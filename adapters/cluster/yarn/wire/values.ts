import { z } from 'zod';

// The engine writes numbers as text, and older masters leave out what newer ones tell.

/** 0 for what is absent or no number. */
export const Quantity = z
  .union([z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const number = Number(value ?? 0);
    return Number.isFinite(number) ? number : 0;
  });

/** Milliseconds of an event; -1: it has not happened. */
export const Moment = z
  .union([z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const number = value === undefined || value === null || value === '' ? -1 : Number(value);
    return Number.isFinite(number) ? number : -1;
  });

/** An id as text, whatever it came as. */
export const Id = z.union([z.string(), z.number().transform(String)]);

/** `0` for what is absent or below 0, as the engine itself writes it. */
export const WindowId = z
  .union([Id, z.null()])
  .optional()
  .transform((id) => (id === undefined || id === null || !/^\d{1,20}$/.test(id) ? '0' : id));

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

export const Values = z.record(z.string(), z.unknown());
