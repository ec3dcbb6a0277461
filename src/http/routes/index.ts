/** The whole API, in one list. */
import type { Api } from '../api';
import type { Route } from '../route';
import { documentationRoutes } from './documentation';
import { healthRoutes } from './health';
import { objectRoutes } from './objects';
import { uploadRoutes } from './uploads';

export const allRoutes = (api: Api): readonly Route[] => {
  const routes = [...uploadRoutes(api), ...objectRoutes(api), ...healthRoutes(api)];
  return [...routes, ...documentationRoutes(routes, api.publicUrl)];
};
