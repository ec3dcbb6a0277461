/** Tests wait for what they wait for; a slow machine is no fault of theirs. */
jest.setTimeout(60_000);
