import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { Profile } from '../accounts/schema.js';
import { LoginInput, SessionList, SessionParams } from './schema.js';
import type { SessionService } from './service.js';

const route = routeFor<SessionService>();

export const sessionRoutes = {
  login: route({
    method: 'POST',
    path: '/ws/v2/login',
    access: 'public',
    summary: 'Log in; the answer sets the session cookie',
    body: jsonBody(LoginInput, { maxBytes: 4 * 1024 }),
    refusals: [429, 501],
    reply: json(Profile),
    handle: (session, { body, caller, setHeader }) => session.login(body, caller, setHeader),
  }),
  logout: route({
    method: 'POST',
    path: '/ws/v2/logout',
    access: 'public',
    summary: 'End the session of the caller, if there is one',
    reply: empty,
    handle: (session, { caller, setHeader }) => session.logout(caller, setHeader),
  }),
  listOwnSessions: route({
    method: 'GET',
    path: '/ws/v2/profile/sessions',
    access: 'user',
    summary: 'The open sessions of the current user, the one used last first',
    refusals: [501],
    reply: json(SessionList),
    handle: (session, { user }) => ({ sessions: session.list(user) }),
  }),
  endSession: route({
    method: 'DELETE',
    path: '/ws/v2/profile/sessions/{id}',
    access: 'user',
    summary: 'End a session of the current user, as a logout from there',
    params: SessionParams,
    refusals: [501],
    reply: empty,
    handle: (session, { user, params }) => session.endOne(user, params.id),
  }),
};
