/** The whole API, in one list. */
import type { Api } from '../api';
import type { Route } from '../route';
import { agentCreationRoutes } from './agent-creation';
import { agentRoutes } from './agents';
import { agentVersionRoutes } from './agent-versions';
import { apiKeyRoutes } from './api-keys';
import { campaignControlRoutes } from './campaign-control';
import { campaignInsightRoutes } from './campaign-insight';
import { campaignRedialRoutes } from './campaign-redial';
import { campaignRoutes } from './campaigns';
import { documentationRoutes } from './documentation';
import { healthRoutes } from './health';
import { nodeTypeRoutes } from './node-types';
import { objectRoutes } from './objects';
import { phoneNumberRoutes } from './phone-numbers';
import { recordingRoutes } from './recordings';
import { runRoutes } from './runs';
import { storageRoutes } from './storage';
import { testCallRoutes } from './test-call';
import { telephonyConfigRoutes } from './telephony-configs';
import { trunkRoutes } from './trunks';
import { uploadRoutes } from './uploads';

export const allRoutes = (api: Api): readonly Route[] => {
  const routes = [
    ...telephonyConfigRoutes(api),
    ...phoneNumberRoutes(api),
    ...trunkRoutes(api),
    ...agentCreationRoutes(api),
    ...agentRoutes(api),
    ...agentVersionRoutes(api),
    ...nodeTypeRoutes,
    ...campaignRoutes(api),
    ...campaignControlRoutes(api),
    ...campaignInsightRoutes(api),
    ...campaignRedialRoutes(api),
    ...runRoutes(api),
    ...testCallRoutes(api),
    ...apiKeyRoutes(api),
    ...uploadRoutes(api),
    ...storageRoutes(api),
    ...recordingRoutes(api),
    ...objectRoutes(api),
    ...healthRoutes(api),
  ];
  return [...routes, ...documentationRoutes(routes, api.publicUrl)];
};
