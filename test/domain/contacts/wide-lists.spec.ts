/** Lists of many columns and of many faults: bounded, counted, and read in slices between which others get their turn. */
import { fails, passes } from './fixtures';

const names = (count: number, of = (i: number): string => `c${i}`): string[] =>
  Array.from({ length: count }, (_, i) => of(i));

describe('columns', () => {
  it('may be a thousand', async () =>
    expect((await passes(`phone_number,${names(999).join()}\n+15550001\n`)).columns).toHaveLength(1000));

  it('beyond a thousand are refused, once and for all rows', async () => {
    const head = `phone_number,${names(1000).join()}`;
    const refused = await fails(`${head}\n${'+15550001\n'.repeat(3000)}`, { required: ['name'] });
    const message = 'A contact list may have at most 1000 columns';
    expect(refused).toMatchObject({ message, errors: [{ row: 1, column: null, message }], error_count: 1 });
  });

  it('without a name are not counted', async () =>
    expect((await passes(`phone_number${','.repeat(5000)}\n+15550001\n`)).rows).toBe(1));

  it('of names that alone fill a contact are refused', async () => {
    const long = names(900, (i) => `${'x'.repeat(300)}${i}`).join();
    expect((await fails(`phone_number,${long}\n+15550001\n`)).message).toMatch(
      /^The names of the columns have together/,
    );
  });

  it('make a row too large together with its cells, to the byte', async () => {
    const frame = Buffer.byteLength(JSON.stringify({ phone_number: '', variables: { a: '' } })) + 64;
    const row = (rest: string, size: number): string =>
      `phone_number,a\n+15550001,${'ü'.repeat(100)}${'x'.repeat(size - frame - 9 - 200)}${rest}\n`;
    expect((await passes(row('', 256 * 1024))).rows).toBe(1);
    expect((await fails(row('x', 256 * 1024))).message).toMatch(/^Too large rows: 2\./);
    // What is in no column is dropped, and does not count.
    expect((await passes(row(',xxxx', 256 * 1024))).rows).toBe(1);
  });
});

describe('a list of a million faults', () => {
  it('tells a hundred of them, counts them all, and lets others work meanwhile', async () => {
    const variables = names(1000 - 1);
    const rows = names(1000, (i) => `+1555${String(i).padStart(6, '0')}\n`).join('');
    let turns = 0;
    let over = false;
    const turn = (): void => {
      turns += 1;
      if (!over) setImmediate(turn);
    };
    turn();
    const refused = await fails(`phone_number,${variables.join()}\n${rows}`, { required: variables });
    over = true;
    expect(refused.error_count).toBe(999_000);
    expect(refused.errors).toHaveLength(100);
    expect(refused.errors[0]).toEqual({ row: 2, column: 'c0', message: "Template variable 'c0' is empty" });
    expect(refused.message).toMatch(/^Template variable 'c0' is empty in rows: 2, 3, 4, 5, 6 and 995 more\./);
    expect(turns).toBeGreaterThan(3);
  });

  it('of missing columns names a thousand', async () => {
    const refused = await fails('phone_number\n+15550001\n', { required: names(30_000) });
    expect(refused.error_count).toBe(30_000);
    expect(refused.message).toMatch(/'c0', 'c1', .* and 29000 more\. Add the missing columns/);
    expect(refused.message.length).toBeLessThan(20_000);
  });
});
