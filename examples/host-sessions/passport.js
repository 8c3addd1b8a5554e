// Express with Passport: whichever strategy logged somebody in, Passport's user is the gateway's.
import { randomBytes } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import express from 'express';
import session from 'express-session';
import { fromHost } from 'headgate/auth/from-host';
import { expressMiddleware } from 'headgate/express';
import { Passport, Strategy } from 'passport';
import { gatewayFor, identityOf, login, personOf, serve } from './host.js';

/** A name and a password in JSON. Any other strategy does as well. */
class JsonStrategy extends Strategy {
  name = 'json';
  authenticate(request) {
    const person = login(request.body);
    if (person) this.success(person);
    else this.fail(401);
  }
}

const passport = new Passport();
passport.use(new JsonStrategy());
passport.serializeUser((person, done) => done(null, person.name));
passport.deserializeUser((name, done) => done(null, personOf(name) ?? false));

const steps = [
  session({
    secret: randomBytes(32).toString('hex'),
    name: 'host.sid',
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'strict' },
  }),
  passport.session(),
];

/** The request of a WebSocket has not come through Express: the same steps are taken here. */
async function readUser(request) {
  const response = new ServerResponse(request);
  for (const step of steps) {
    await new Promise((resolve, reject) => {
      step(request, response, (error) => (error ? reject(error) : resolve()));
    });
  }
}

const gateway = await gatewayFor(
  fromHost(async (request) => {
    if (!request.session) await readUser(request);
    return identityOf(request.user);
  }),
);

const app = express();
app.use(...steps);
app.use(expressMiddleware(gateway));
// Passport itself makes a new session at login.
app.post('/host/login', express.json(), passport.authenticate('json'), (_request, response) => {
  response.sendStatus(204);
});
app.post('/host/logout', (request, response, next) => {
  request.logout((error) => (error ? next(error) : response.sendStatus(204)));
});

await serve(createServer(app), gateway);
