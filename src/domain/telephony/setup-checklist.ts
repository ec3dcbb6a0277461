/** What is still to be done before a configuration can place or take calls. */
import { providerMetadata } from './provider-metadata';
import type { CarrierCheck, Provider } from './events';

export interface ChecklistStep {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly complete: boolean;
  readonly blocks_outbound: boolean;
}

export interface SetupChecklist {
  readonly ready_for_outbound: boolean;
  /** Description of the first step that is in the way; null when ready. */
  readonly outbound_blocked_reason: string | null;
  readonly steps: readonly ChecklistStep[];
  readonly docs_url: string | null;
}

/** What the checklist depends on; a folded configuration is one, so is a read model's document. */
export interface ChecklistView {
  readonly provider: Provider;
  /** Names of the credentials that hold something. */
  readonly fieldsSet: readonly string[];
  /** null: the carrier was not asked. */
  readonly carrierCheck: CarrierCheck | null;
  readonly numbers: readonly {
    readonly is_active: boolean;
    readonly inbound_workflow_id: number | null;
    readonly telephony_trunk_id: number | null;
  }[];
  readonly trunks: readonly { readonly enabled: boolean }[];
}

type Step = (view: ChecklistView) => ChecklistStep | null;

const callerId =
  (blocks: boolean): Step =>
  ({ provider, numbers }) => ({
    key: 'caller_id',
    title: 'Add a number to call from',
    description: blocks
      ? `Outbound calls show a number of yours. Add at least one active number of your ${providerMetadata[provider].display_name} account to this configuration.`
      : 'Add a number to show to the people called; without one Asterisk decides what they see.',
    complete: numbers.some((n) => n.is_active),
    blocks_outbound: blocks,
  });

const inboundRouting: Step = ({ numbers }) => ({
  key: 'inbound_routing',
  title: 'Let an agent answer',
  description: 'Attach an agent to an active number to take inbound calls.',
  complete: numbers.some((n) => n.is_active && n.inbound_workflow_id !== null),
  blocks_outbound: false,
});

const credentials: Step = ({ provider, carrierCheck }) =>
  carrierCheck === null
    ? null
    : {
        key: 'credentials',
        title: `Credentials accepted by ${providerMetadata[provider].display_name}`,
        description:
          carrierCheck.message === null
            ? 'The credentials are tried when the configuration is saved.'
            : `The credentials could not be tried when the configuration was saved: ${carrierCheck.message}`,
        complete: carrierCheck.ok,
        blocks_outbound: false,
      };

const holds =
  (field: string, key: string, title: string, description: string): Step =>
  ({ fieldsSet }) => ({ key, title, description, complete: fieldsSet.includes(field), blocks_outbound: false });

const sipDomain: Step = ({ fieldsSet }) => ({
  key: 'sip_domain',
  title: 'Connect your SIP domain',
  description: 'Store the domain and an API token that may use it.',
  complete: fieldsSet.includes('bearer_token') && fieldsSet.includes('domain_id'),
  blocks_outbound: true,
});

const outboundTrunk: Step = ({ trunks }) => ({
  key: 'outbound_trunk',
  title: 'Add an outbound trunk',
  description: 'Add an enabled trunk if calls are to leave by one of your own; without it the domain decides.',
  complete: trunks.some((trunk) => trunk.enabled),
  blocks_outbound: false,
});

const trunkAssignment: Step = ({ numbers, trunks }) =>
  trunks.filter((trunk) => trunk.enabled).length < 2
    ? null
    : {
        key: 'trunk_assignment',
        title: 'Choose a trunk for each number',
        description: 'With several trunks enabled each active number should name the one that it dials out by.',
        complete: numbers.every((n) => !n.is_active || n.telephony_trunk_id !== null),
        blocks_outbound: false,
      };

const carrier: readonly Step[] = [callerId(true), credentials, inboundRouting];
const verified = (field: string): readonly Step[] => [
  callerId(true),
  credentials,
  holds(
    field,
    'webhook_verification',
    'Store the key that verifies webhooks',
    `Without ${field} the carrier's reports about calls are refused, and how a call ended is learnt only by asking.`,
  ),
  inboundRouting,
];

const STEPS: Readonly<Record<Provider, readonly Step[]>> = {
  ari: [
    credentials,
    callerId(false),
    holds(
      'ws_client_name',
      'media',
      'Name the websocket client',
      'Agents speak and listen through the websocket client connection that ws_client_name names.',
    ),
    inboundRouting,
  ],
  cloudonix: [sipDomain, outboundTrunk, callerId(true), trunkAssignment, credentials, inboundRouting],
  exotel: carrier,
  plivo: carrier,
  telnyx: verified('webhook_public_key'),
  twilio: carrier,
  vobiz: carrier,
  vonage: verified('signature_secret'),
};

/** Every provider has one. Ready means: no step that blocks outbound calls is incomplete. */
export const setupChecklist = (view: ChecklistView): SetupChecklist => {
  const steps = STEPS[view.provider].map((step) => step(view)).filter((step) => step !== null);
  const blocking = steps.find((step) => step.blocks_outbound && !step.complete);
  return {
    ready_for_outbound: blocking === undefined,
    outbound_blocked_reason: blocking?.description ?? null,
    steps,
    docs_url: providerMetadata[view.provider].docs_url,
  };
};
