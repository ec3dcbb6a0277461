/** What NATS does for the program: the feed of the dialers, the relay that fills it, and the leases of partitions. */
export { natsFeed, type NatsFeedOptions } from './nats-feed';
export { natsLeases, type NatsLeasesOptions } from './nats-leases';
export { natsRelay, type NatsRelayOptions, type Relay } from './nats-relay';
