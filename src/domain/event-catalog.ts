import type { EventTypes } from '../core/event-types';
import { agentEvents } from './agent/events';
import { apiKeyEvents } from './api-key/events';
import { campaignEvents, contactsEvents } from './campaign/events';
import { dialingEvents } from './dialing/events';
import { organizationEvents } from './organization/events';
import { recordingEvents } from './recording/events';
import { requestEvents } from './request/events';
import { reservationEvents } from './reservation/events';
import { runEvents } from './run/events';
import { sequenceEvents } from '../engine/sequence-events';
import { telephonyEvents } from './telephony/events';

/** Every type of event that the ledger holds. Names are unique over all streams: they are the storage format. */
export const eventCatalog = {
  ...organizationEvents,
  ...apiKeyEvents,
  ...telephonyEvents,
  ...agentEvents,
  ...campaignEvents,
  ...contactsEvents,
  ...runEvents,
  ...dialingEvents,
  ...recordingEvents,
  ...sequenceEvents,
  ...requestEvents,
  ...reservationEvents,
} satisfies EventTypes;
