/** The whole API, in one list. */
import type { Api } from '../api';
import type { Route } from '../route';
import { agentRoutes } from './agents';
import { apiKeyRoutes } from './api-keys';
import { campaignControlRoutes } from './campaign-control';
import { campaignInsightRoutes } from './campaign-insight';
import { campaignRoutes } from './campaigns';
import { documentationRoutes } from './documentation';
import { healthRoutes } from './health';
import { objectRoutes } from './objects';
import { phoneNumberRoutes } from './phone-numbers';
import { runRoutes } from './runs';
import { telephonyConfigRoutes } from './telephony-configs';
import { trunkRoutes } from './trunks';
import { uploadRoutes } from './uploads';

export const allRoutes = (api: Api): readonly Route[] => {
  const routes = [
    ...telephonyConfigRoutes(api),
    ...phoneNumberRoutes(api),
    ...trunkRoutes(api),
    ...agentRoutes(api),
    ...campaignRoutes(api),
    ...campaignControlRoutes(api),
    ...campaignInsightRoutes(api),
    ...runRoutes(api),
    ...apiKeyRoutes(api),
    ...uploadRoutes(api),
    ...objectRoutes(api),
    ...healthRoutes(api),
  ];
  return [...routes, ...documentationRoutes(routes, api.publicUrl)];
};
