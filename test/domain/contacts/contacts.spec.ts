import { batchesOf, fails, passes } from './fixtures';

const ARI = { e164Only: false };

describe('the header', () => {
  it('is trimmed and lower-cased', async () =>
    expect((await passes(' Phone_Number , First Name\n+15550001,Ann\n')).columns).toEqual([
      'phone_number',
      'first name',
    ]));
  it('must have a phone_number column', async () =>
    expect((await fails('phone,name\n+15550001,Ann\n')).message).toBe("Source must contain a 'phone_number' column"));
  it('without one is told like any other fault, and with those of the template variables', async () => {
    const message = "Source must contain a 'phone_number' column";
    const alone = await fails('phone,name\n+15550001,Ann\n');
    expect([alone.errors, alone.error_count]).toEqual([[{ row: 1, column: 'phone_number', message }], 1]);
    const both = await fails('\nphone\n+15550001\n', { required: ['city'] });
    expect(both.errors.map((e) => [e.row, e.column])).toEqual([
      [2, 'phone_number'],
      [2, 'city'],
    ]);
    expect(both.message).toMatch(/^Source must contain a 'phone_number' column\. Workflow uses .*'city'\./);
  });
  it.each([';', '\t', '|'])('that is separated by %j is refused with a hint', async (separator) =>
    expect((await fails(`phone_number${separator}name\n+15550001${separator}Ann\n`)).message).toBe(
      "Source must contain a 'phone_number' column; separate the columns by commas",
    ),
  );
  it('may be preceded by a byte order mark', async () =>
    expect((await passes('\uFEFFphone_number\n+15550001\n')).rows).toBe(1));
  it('may be quoted behind a byte order mark', async () =>
    expect((await passes('\uFEFF"phone_number","a"\n+15550001,x\n')).columns).toEqual(['phone_number', 'a']));
  it('of two equal names means the last', async () => {
    const { contacts } = await batchesOf('phone_number,name,NAME\n+15550001,first,last\n');
    expect(contacts).toEqual([{ phone_number: '+15550001', variables: { name: 'last' } }]);
  });
  it('may leave names empty; their cells are dropped', async () => {
    const { contacts } = await batchesOf('phone_number,,name\n+15550001,x,Ann\n');
    expect(contacts[0]?.variables).toEqual({ name: 'Ann' });
  });
  it('cannot name the prototype', async () =>
    expect((await fails('phone_number,__proto__\n+15550001,x\n')).message).toMatch(/cannot be named/));
  it('may name what every object has', async () => {
    const { contacts } = await batchesOf('phone_number,constructor,toString\n+15550001,a,b\n');
    expect(Object.entries(contacts[0]?.variables ?? {})).toEqual([
      ['constructor', 'a'],
      ['tostring', 'b'],
    ]);
  });
});

describe('numbers', () => {
  it.each(['+15550001', '+12', '+123456789012345', '+919876543210'])('of carriers may be %s', async (number) =>
    expect((await passes(`phone_number\n${number}\n`)).rows).toBe(1),
  );
  it.each([
    ['5550002', "must include a country code (start with '+')"],
    ['1001', "must include a country code (start with '+')"],
    ['+0555', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+1', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+1234567890123456', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+abc', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+1555-0001', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+１５５５０００１', "must be '+' followed by 2 to 15 digits, the first of them not 0"],
    ['+1555 0001', 'must not contain spaces, commas, ampersands or control characters'],
    ['"+15550001,+15550002"', 'must not contain spaces, commas, ampersands or control characters'],
  ])('of carriers may not be %s', async (number, reason) => {
    const rejection = await fails(`phone_number\n+15559999\n${number}\n`);
    expect(rejection.message).toBe(`Invalid phone numbers in rows: 3. Every phone number ${reason}.`);
    expect(rejection.errors).toEqual([{ row: 3, column: 'phone_number', message: `Phone number ${reason}` }]);
    expect(rejection.error_count).toBe(1);
  });
  it.each(['1001', '+966500000000', 'sip:1001@pbx.local', 'PJSIP/1001@my-trunk', 'Local/1001@from-internal', '0123'])(
    'of ARI may be %s',
    async (number) => expect((await passes(`phone_number\n${number}\n`, ARI)).rows).toBe(1),
  );
  it.each(['\u200e1001', '10\u200b01', '10\u00ad01', '1001\u2060'])(
    'may not hold characters that nobody sees: %j',
    async (number) =>
      expect((await fails(`phone_number\n1001\n${number}\n`, ARI)).errors).toEqual([
        { row: 3, column: 'phone_number', message: expect.stringContaining('control characters') },
      ]),
  );
  it.each(['+1555 0001', '"+15550001,+15550002"', '1001&1002', '10\u000701', 'x'.repeat(256)])(
    'of ARI may not be %j',
    async (number) => expect((await fails(`phone_number\n${number}\n`, ARI)).errors[0]?.row).toBe(2),
  );
  it('are trimmed', async () => {
    const { contacts } = await batchesOf('phone_number\n  +15550001\t\n');
    expect(contacts[0]?.phone_number).toBe('+15550001');
  });
  it('are unique; the later row is at fault', async () => {
    const rejection = await fails('phone_number\n+15550001\n+15550002\n +15550001\n+15550001\n');
    expect(rejection.message).toBe(
      'Duplicate phone numbers found in rows: 4, 5. Phone numbers in a campaign must be unique.',
    );
    expect(rejection.errors.map((e) => e.message)).toEqual([
      'Phone number is the same as in row 2',
      'Phone number is the same as in row 2',
    ]);
  });
  it('of ARI are unique as text', async () => {
    expect((await passes('phone_number\n+15550001\n15550001\n', ARI)).rows).toBe(2);
    expect((await fails('phone_number\nsip:a@b\nsip:a@b\n', ARI)).errors[0]?.row).toBe(3);
  });
});

describe('rows', () => {
  it.each([
    ['empty lines', 'phone_number,a\n\n+15550001,x\n\n\n'],
    ['rows of separators', 'phone_number,a\n,\n+15550001,x\n,,,\n'],
    ['rows of spaces', 'phone_number,a\n  , \t\n+15550001,x\n'],
    ['blank rows before the header', '\n,,\nphone_number,a\n+15550001,x\n'],
  ])('%s are skipped', async (_, content) => expect((await passes(content)).rows).toBe(1));
  it('blank ones count in row numbers', async () =>
    expect((await fails('phone_number\n\n5550001\n')).errors[0]?.row).toBe(3));
  it('quoted newlines do not', async () =>
    expect((await fails('phone_number,note\n+15550001,"one\ntwo\n"\n5550001,x\n')).errors[0]?.row).toBe(3));
  it('with data but no number are at fault', async () => {
    const rejection = await fails('phone_number,a\n,x\n+15550001,y\n  ,z\n');
    expect(rejection.message).toBe('Phone number missing in rows: 2, 4.');
    expect(rejection.errors).toContainEqual({ row: 2, column: 'phone_number', message: 'Phone number is missing' });
  });
  it('that are short are filled with empty text; longer ones are cut', async () => {
    const { contacts } = await batchesOf('phone_number,a,b\n+15550001\n+15550002,x,y,z,z\n');
    expect(contacts.map((c) => c.variables)).toEqual([
      { a: '', b: '' },
      { a: 'x', b: 'y' },
    ]);
  });
  it('keep their values as they were typed', async () => {
    const { contacts } = await batchesOf('phone_number,a\r\n+15550001,"  say ""hi"",\r\n ünï 🙂 "\r\n');
    expect(contacts[0]?.variables).toEqual({ a: '  say "hi",\r\n ünï 🙂 ' });
  });
  it.each(['\n', '\r\n', '\r'])('may end with %j', async (end) => {
    const { contacts } = await batchesOf(['phone_number,a', '+15550001,x', '+15550002,y', ''].join(end));
    expect(contacts.map((c) => [c.phone_number, c.variables.a])).toEqual([
      ['+15550001', 'x'],
      ['+15550002', 'y'],
    ]);
  });
  it('may end differently in one file, and the last without an end', async () =>
    expect((await passes('phone_number,a\n+15550001,x\r\n+15550002,y')).rows).toBe(2));
  it.each([
    ['a header only', 'phone_number,a\n'],
    ['a header and blank rows', 'phone_number,a\n\n,\n'],
    ['nothing', ''],
    ['blank lines', '\n\n'],
  ])('are needed: %s is refused', async (_, content) => {
    const message = 'CSV file must have a header row and at least one data row';
    const rejection = await fails(content);
    expect([rejection.message, rejection.errors]).toEqual([message, [{ row: null, column: null, message }]]);
  });
});

describe('template variables', () => {
  const rules = { required: ['Name', 'city'] };
  it('are matched to columns whatever the case', async () =>
    expect((await passes('PHONE_NUMBER,NAME,City\n+15550001,Ann,Rome\n', rules)).rows).toBe(1));
  it('without a column are named, sorted, with the other faults', async () => {
    const rejection = await fails('phone_number,x\n5550001,y\n', rules);
    expect(rejection.message).toBe(
      "Workflow uses template variables that are missing from the source data: 'Name', 'city'. " +
        'Add the missing columns or remove them from the workflow. ' +
        "Invalid phone numbers in rows: 2. Every phone number must include a country code (start with '+').",
    );
    expect(rejection.error_count).toBe(3);
    expect(rejection.errors[0]).toMatchObject({ row: 1, column: 'Name' });
  });
  it('must have a value in every row, short ones too', async () => {
    const rejection = await fails('phone_number,name,city\n+15550001,Ann,\n+15550002, ,Rome\n+15550003\n', rules);
    expect(rejection.errors.map((e) => [e.row, e.column])).toEqual([
      [2, 'city'],
      [3, 'Name'],
      [4, 'Name'],
      [4, 'city'],
    ]);
    expect(rejection.message).toContain("Template variable 'city' is empty in rows: 2, 4.");
  });
  it('may be the number, or a greeting column', async () =>
    expect(
      (
        await passes('phone_number,greeting_override_text\n+15550001,hi\n', {
          required: ['phone_number', 'greeting_override_text'],
        })
      ).rows,
    ).toBe(1));
});

describe('greeting overrides', () => {
  const header = 'phone_number,name,greeting_override_type,greeting_override_text,greeting_override_recording_id\n';
  const of = async (cells: string) => (await batchesOf(`${header}+15550001,Ann,${cells}\n`)).contacts[0]?.variables;
  it('of text', async () =>
    expect(await of('text,Hello {{first_name}},')).toEqual({
      name: 'Ann',
      greeting_override: { type: 'text', text: 'Hello {{first_name}}' },
    }));
  it('of a recording', async () =>
    expect(await of(' Audio ,, campaign-welcome ')).toEqual({
      name: 'Ann',
      greeting_override: { type: 'audio', recording_id: 'campaign-welcome' },
    }));
  it.each(['text, ,x', 'audio,x,', 'video,x,y', ',x,y'])('that are incomplete are none: %s', async (cells) =>
    expect(await of(cells)).toEqual({ name: 'Ann' }),
  );
  it('that name an unknown recording are at fault', async () => {
    const rejection = await fails(`${header}+15550001,Ann,audio,,gone\n+15550002,Ann,audio,,there\n`, {
      recordingExists: (id) => id === 'there',
    });
    expect(rejection.errors).toEqual([
      { row: 2, column: 'greeting_override_recording_id', message: 'There is no recording of this id' },
    ]);
  });
});

describe('faults', () => {
  it('are reported together, by row, with a text for each rule', async () => {
    const rejection = await fails('phone_number,name\n5550001,\n+15550002,Ann\n+15550002,\n,x\n', {
      required: ['name'],
    });
    expect(rejection.errors.map((e) => [e.row, e.column])).toEqual([
      [2, 'phone_number'],
      [2, 'name'],
      [4, 'phone_number'],
      [4, 'name'],
      [5, 'phone_number'],
    ]);
    expect(rejection.error_count).toBe(5);
    expect(rejection.message).toBe(
      "Invalid phone numbers in rows: 2. Every phone number must include a country code (start with '+'). " +
        "Template variable 'name' is empty in rows: 2, 4. All template variables used in the workflow must have values in every row. " +
        'Duplicate phone numbers found in rows: 4. Phone numbers in a campaign must be unique. ' +
        'Phone number missing in rows: 5.',
    );
  });
  it('are listed up to 100, named up to 5 rows, and all counted', async () => {
    const rejection = await fails(`phone_number\n${'5550001\n'.repeat(250)}`);
    expect(rejection.errors).toHaveLength(100);
    expect(rejection.error_count).toBe(250);
    expect(rejection.message).toContain('rows: 2, 3, 4, 5, 6 and 245 more.');
  });
});
