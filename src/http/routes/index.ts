/** The whole API, in one list. */
import type { Api } from '../api';
import type { Route } from '../route';
import { healthRoutes } from './health';
import { objectRoutes } from './objects';
import { uploadRoutes } from './uploads';

export const allRoutes = (api: Api): readonly Route[] => [
  ...healthRoutes(api),
  ...uploadRoutes(api),
  ...objectRoutes(api),
];
