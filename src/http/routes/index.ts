/** The whole API, in one list. */
import type { Api } from '../api';
import type { Route } from '../route';
import { apiKeyRoutes } from './api-keys';
import { documentationRoutes } from './documentation';
import { healthRoutes } from './health';
import { objectRoutes } from './objects';
import { uploadRoutes } from './uploads';

export const allRoutes = (api: Api): readonly Route[] => {
  const routes = [...apiKeyRoutes(api), ...uploadRoutes(api), ...objectRoutes(api), ...healthRoutes(api)];
  return [...routes, ...documentationRoutes(routes, api.publicUrl)];
};
