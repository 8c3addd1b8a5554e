/** What the gateway asks its helper process. */
export interface AcceptRequest {
  readonly id: number;
  /** `HTTP@host`. */
  readonly service: string;
  /** Base64. */
  readonly token: string;
}

export type AcceptAnswer =
  | { readonly id: number; readonly outcome: 'accepted'; readonly principal: string; readonly reply?: string }
  /** The token is not good. */
  | { readonly id: number; readonly outcome: 'refused'; readonly why: string }
  /** It could not be checked: no keytab, no configuration. */
  | { readonly id: number; readonly outcome: 'failed'; readonly why: string };

/** The first thing that the helper says. */
export type HelperReady = { readonly ready: true } | { readonly ready: false; readonly why: string };
