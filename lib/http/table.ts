import { readPathParameter } from './path-parameter.js';
import type { Method, Route } from './route.js';

export interface ListedRoute {
  /** Verb and noun: `listApplications`. */
  readonly id: string;
  readonly room: string;
  readonly route: Route<unknown>;
}

/** A route with the service that answers it. */
export interface BoundRoute extends ListedRoute {
  readonly service: unknown;
}

/** What is known of an operation before its room is loaded. */
export interface RoutePlace {
  /** Verb and noun: `listApplications`. */
  readonly id: string;
  readonly room: string;
  readonly route: Pick<Route<unknown>, 'method' | 'path' | 'upgrades'>;
}

/** The route of a place: at once, where its room is loaded. */
type Bind = (place: RoutePlace) => BoundRoute | Promise<BoundRoute>;

export interface Match {
  readonly place: RoutePlace;
  readonly bound: ReturnType<Bind>;
  /** Decoded once. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Table {
  /** Literal segments before parameters, so any first-match router may mount them in this order. */
  readonly routes: readonly RoutePlace[];
  /**
   * `undefined`: the path is not ours. A list of methods: it is, but not with this method. GET answers HEAD too.
   * Rejects a parameter that is malformed, too long or no name with `BadRequest`.
   */
  match(method: string, path: string): Match | readonly string[] | undefined;
  /** Whether a path has operations, whatever the method and the parameters, or is kept from the host all the same. */
  owns(path: string): boolean;
  /** Id of the operation, whatever the parameters; GET answers HEAD too. */
  operationAt(method: string, path: string): string | undefined;
  /** Whether a WebSocket may be opened at a path. */
  ownsUpgrade(path: string): boolean;
}

type RoomRoutes = Readonly<Record<string, Route<unknown>>>;
/** Rooms by name; each holds its routes by id. */
type RouteTree = Readonly<Record<string, RoomRoutes>>;

interface Node {
  readonly literals: Map<string, Node>;
  param?: Node;
  rest?: Methods;
  readonly here: Methods;
}
type Methods = Map<string, Placed>;

interface Placed {
  readonly place: RoutePlace;
  /** Where in the path its parameters are. */
  readonly params: readonly { readonly name: string; readonly index: number; readonly isRest: boolean }[];
}

/** What a path leads to. */
interface Found {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Methods | undefined;
}

/** Where the gateway's paths begin. */
export const ownPrefixes = ['/ws/v1', '/ws/v2', '/proxy'] as const;

interface TableOptions {
  /** What lies below is the gateway's also where there is no route. Default: nothing. */
  readonly keeps?: readonly string[];
}

/** Binds each room's routes to its service. Refuses two routes with the same method and shape. */
export function buildTable(
  tree: RouteTree,
  services: Readonly<Record<string, unknown>>,
  options: TableOptions = {},
): Table {
  const routes = listRoutes(tree).map((entry): BoundRoute => ({ ...entry, service: services[entry.room] }));
  const byId = new Map(routes.map((bound) => [bound.id, bound]));
  const bind = ({ id }: RoutePlace): BoundRoute => {
    const bound = byId.get(id);
    if (!bound) throw new Error(`There is no route ${id}`);
    return bound;
  };
  return tableOf(routes, bind, options);
}

/** Of routes that are bound when they are called first. Refuses two with the same method and shape. */
export function tableOf(places: readonly RoutePlace[], bind: Bind, { keeps = [] }: TableOptions = {}): Table {
  const isKept = (path: string): boolean =>
    keeps.some(
      (prefix) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'),
    );
  const root = newNode();
  for (const place of places) insert(root, place);
  // Hosts ask whether a path is ours just before they hand it over.
  let last: Found = { path: '', segments: [], methods: undefined };
  const lookUp = (path: string): Found => {
    if (last.path !== path) {
      const segments = path.split('/');
      last = { path, segments, methods: find(root, segments, 1) };
    }
    return last;
  };
  return {
    routes: sortedPlaces(places),
    match: (method, path) => match(lookUp(path), method, bind),
    owns: (path) => lookUp(path).methods !== undefined || isKept(path),
    operationAt: (method, path) => lookUp(path).methods?.get(routed(method))?.place.id,
    ownsUpgrade: (path) => lookUp(path).methods?.get('GET')?.place.route.upgrades === true,
  };
}

/** Every route with its id and room, in the order they were written; needs no service. */
export const listRoutes = (tree: RouteTree): ListedRoute[] =>
  Object.entries(tree).flatMap(([room, routes]) =>
    Object.entries(routes).map(([id, route]) => ({ id, room, route })),
  );

const newNode = (): Node => ({ literals: new Map(), here: new Map() });

function insert(root: Node, place: RoutePlace): void {
  const { method, path } = place.route;
  let node = root;
  for (const segment of path.slice(1).split('/')) {
    if (segment.endsWith('...}')) {
      node.rest ??= new Map();
      add(node.rest, method, place);
      return;
    }
    if (segment.startsWith('{')) {
      node.param ??= newNode();
      node = node.param;
    } else {
      const next = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, next);
      node = next;
    }
  }
  add(node.here, method, place);
}

function add(methods: Methods, method: Method, place: RoutePlace): void {
  const other = methods.get(method)?.place;
  if (other) throw new Error(`Routes ${other.id} and ${place.id} are both ${method} ${place.route.path}`);
  methods.set(method, { place, params: paramsIn(place.route.path) });
}

const paramsIn = (pattern: string): Placed['params'] =>
  pattern.split('/').flatMap((part, index) => {
    const isRest = part.endsWith('...}');
    return part.startsWith('{') ? [{ name: part.slice(1, isRest ? -4 : -1), index, isRest }] : [];
  });

const routed = (method: string): string => (method === 'HEAD' ? 'GET' : method);

function match(
  { methods, segments }: Found,
  method: string,
  bind: Bind,
): Match | readonly string[] | undefined {
  if (methods === undefined) return undefined;
  const placed = methods.get(routed(method));
  if (placed === undefined) return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].sort();
  const params: Record<string, string> = {};
  for (const { name, index, isRest } of placed.params) {
    params[name] = isRest ? segments.slice(index).join('/') : readPathParameter(segments[index] ?? '', name);
  }
  return { place: placed.place, bound: bind(placed.place), params };
}

/** A literal beats a parameter, a parameter beats the rest. */
function find(node: Node, segments: readonly string[], at: number): Methods | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.here.size > 0 ? node.here : undefined;
  const literal = node.literals.get(segment);
  const found = literal && find(literal, segments, at + 1);
  if (found) return found;
  if (segment === '') return undefined;
  return (node.param && find(node.param, segments, at + 1)) ?? node.rest;
}

/** As `Table.routes` has them. */
export const sortedPlaces = <P extends RoutePlace>(places: readonly P[]): P[] => [...places].sort(byShape);

/** Literal segments first, then parameters, then the rest; shorter before longer. */
function byShape(a: RoutePlace, b: RoutePlace): number {
  const [left, right] = [a.route.path.split('/'), b.route.path.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = rank(left[i] ?? '') - rank(right[i] ?? '');
    if (difference !== 0) return difference;
    if (rank(left[i] ?? '') === 0 && left[i] !== right[i]) return (left[i] ?? '') < (right[i] ?? '') ? -1 : 1;
  }
  return left.length - right.length;
}

const rank = (segment: string) => (segment.endsWith('...}') ? 2 : segment.startsWith('{') ? 1 : 0);
