import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { CreatedToken, NewToken, TokenFilter, TokenList, TokenOwner, TokenParams } from './schema.js';
import type { TokenService } from './service.js';

const route = routeFor<TokenService>();

/** API tokens for scripts. */
export const tokenRoutes = {
  listOwnTokens: route({
    method: 'GET',
    path: '/ws/v2/tokens',
    access: 'user',
    summary: 'The API tokens of the current user, without their secrets',
    reply: json(TokenList),
    handle: (tokens, { user }) => ({ tokens: tokens.list(user.userName) }),
  }),
  createToken: route({
    method: 'POST',
    path: '/ws/v2/tokens',
    access: 'user',
    summary: 'Make an API token for the current user; the answer alone shows it',
    body: jsonBody(NewToken, { maxBytes: 16 * 1024 }),
    refusals: [409, 501],
    reply: json(CreatedToken),
    handle: (tokens, { user, body }) => tokens.create(user, body),
  }),
  deleteToken: route({
    method: 'DELETE',
    path: '/ws/v2/tokens/{id}',
    access: 'user',
    summary: 'Revoke an API token at once; others’ with MANAGE_USERS',
    params: TokenParams,
    reply: empty,
    handle: (tokens, { user, params }) => tokens.revoke(user, params.id),
  }),
  listTokens: route({
    method: 'GET',
    path: '/ws/v2/auth/tokens',
    access: 'MANAGE_USERS',
    summary: 'The API tokens of all users, or of one',
    query: TokenFilter,
    reply: json(TokenList),
    handle: (tokens, { query }) => ({ tokens: tokens.listAll(query.user) }),
  }),
  deleteTokensOfUser: route({
    method: 'DELETE',
    path: '/ws/v2/auth/users/{user}/tokens',
    access: 'MANAGE_USERS',
    summary: 'Revoke all API tokens of a user at once',
    params: TokenOwner,
    reply: empty,
    handle: (tokens, { params }) => tokens.revokeAllOf(params.user),
  }),
};
