/** What may be asked of an organization. Its id comes from the sequence `organization`. */
export type OrganizationCommand =
  | { readonly type: 'CreateOrganization'; readonly organizationId: number; readonly name: string }
  /** null: unchanged. Whole numbers from 1. */
  | {
      readonly type: 'ChangeLimits';
      readonly concurrentCalls: number | null;
      readonly callsPerSecond: number | null;
    };
