import fc from 'fast-check';
import { renderTemplate, requiredVariables } from '../../../src/domain/agent/template-variables';
import { NOW } from '../../support/given';
import { edge, node } from './fixtures';

const requiredIn = (prompt: string) => requiredVariables({ nodes: [node('s', 'startCall', { prompt })], edges: [] });
const render = (text: string, context = {}) => renderTemplate(text, context, NOW);

describe('what a contact list must supply', () => {
  test('are names in prompts, greeting and transition speech, sorted, each once', () => {
    const definition = {
      nodes: [
        node('s', 'startCall', { prompt: '{{ zeta }} {{alpha}}', greeting: 'Hello {{first_name}}' }),
        node('a', 'agentNode', { prompt: '{{ alpha }}', extraction_prompt: '{{not_this}}' }),
        node('e', 'endCall', { prompt: '{{bye}}' }),
        node('g', 'globalNode', { prompt: '{{tone}}' }),
        node('w', 'webhook', { prompt: '{{no}}', payload_template: { a: '{{nor_this}}' } }),
        node('q', 'qa', { qa_system_prompt: '{{nor_that}}' }),
      ],
      edges: [edge('s', 'a', { transition_speech: 'One moment, {{title}}', condition: '{{ignored}}' })],
    };
    expect(requiredVariables(definition)).toEqual(['alpha', 'bye', 'first_name', 'title', 'tone', 'zeta']);
  });

  test('are not paths with a dot, names with a default, nor what we know ourselves', () => {
    expect(requiredIn('{{ a.b }} {{ initial_context.c }} {{ d | there }} {{ e | fallback }} {{f|}}')).toEqual([]);
    expect(requiredIn('{{campaign_id}} {{provider}} {{source_uuid}} {{retry_reason}}')).toEqual([]);
    expect(
      requiredIn('{{current_time}} {{current_weekday}} {{current_time_Europe/Berlin}} {{current_weekday_UTC}}'),
    ).toEqual([]);
    expect(requiredIn('{{current_timetable}}')).toEqual(['current_timetable']);
    expect(requiredIn('{{phone_number}}')).toEqual(['phone_number']);
  });

  test('are read by the rule of placeholders', () => {
    expect(requiredIn('{{d e}} {{}} {{ }} {x} {{open')).toEqual([]);
    expect(requiredIn('{{{f}}}')).toEqual(['{f']);
    expect(requiredIn('{{FirstName}} {{first-name}}')).toEqual(['FirstName', 'first-name']);
  });

  test('are none where the definition is anything else', () => {
    expect(requiredVariables({})).toEqual([]);
    expect(requiredVariables({ nodes: [{ id: 's', type: 'startCall', data: { prompt: 5 } }], edges: 7 })).toEqual([]);
  });
});

describe('rendering', () => {
  test('fills in names and paths', () => {
    const context = { name: 'Ann', order: { id: 7, lines: [1, 2] }, 'a.b': 'flat', paid: true };
    expect(render('{{name}}/{{ order.id }}/{{order}}/{{order.lines}}/{{a.b}}/{{paid}}', context)).toBe(
      'Ann/7/{"id":7,"lines":[1,2]}/[1,2]/flat/true',
    );
    expect(render('{{initial_context.name}}', context)).toBe('Ann');
    expect(render('{{initial_context.name}}', { initial_context: { name: 'Bob' }, name: 'Ann' })).toBe('Bob');
  });

  test('takes the default for what is missing, null or empty, and nothing without a default', () => {
    expect(render('[{{ a }}][{{ a | there }}]', { a: null })).toBe('[][there]');
    expect(render('{{ a | there }}{{ b | you all }}', { a: '' })).toBe('thereyou all');
    expect(render('{{ a | there }}', { a: 0 })).toBe('0');
    expect(render('{{ a | fallback:dear customer }}')).toBe('dear customer');
    expect(render('{{ first_name | fallback }}')).toBe('First Name');
    expect(render('{{ customer.last_name | fallback: }}')).toBe('Customer Last Name');
  });

  test('knows the time', () => {
    expect(render('{{current_time}}')).toBe('2026-03-02 12:00:00 UTC');
    expect(render('{{current_time_America/New_York}}')).toBe('2026-03-02 07:00:00 EST');
    expect(render('{{current_weekday}} {{current_weekday_Pacific/Auckland}}')).toBe('Monday Tuesday');
    expect(render('{{current_time_Mars/Olympus}}|{{current_time_Mars/Olympus | now}}')).toBe('|now');
  });

  test('turns a literal backslash n into a line break, and leaves the rest alone', () => {
    expect(render('a\\nb {{d e}} {{}} {x}')).toBe('a\nb {{d e}} {{}} {x}');
  });

  test('does not look at the prototype', () => {
    expect(render('{{constructor}}{{toString}}{{a.constructor}}', { a: {} })).toBe('');
  });

  test('of text without placeholders and backslashes changes nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{') && !text.includes('\\'));
        expect(render(text, { a: 1 })).toBe(text);
      }),
    );
  });

  test('of a definition whose variables are all supplied leaves none of them', () => {
    const name = fc.stringMatching(/^[a-z][a-z_0-9]{0,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        const prompt = names.map((n) => `{{ ${n} }}`).join(' and ');
        const context = Object.fromEntries(requiredIn(prompt).map((n) => [n, 'x']));
        expect(render(prompt, context)).not.toContain('{{');
      }),
    );
  });

  test('of a million braces takes no time', () => {
    const hostile = ['{', '{{a|', '{{a ', '{{ ', '{{|', '}{{'].map((piece) => piece.repeat(1_000_000 / piece.length));
    for (const text of [...hostile, `${'{'.repeat(1_000_000)} x}}`]) {
      requiredIn(text);
      render(text);
    }
  });

  test('finds the placeholders that the plain expression for them finds', () => {
    const plain = /\{\{\s*([^|\s}]+)\s*(?:\|([^}]*))?\}\}/g;
    const piece = fc.constantFrom('{', '}', '{{', '{{ ', '}}', ' }}', '|', ' ', 'a', 'b', 'c.d', '\n');
    let placeholders = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        const expected = [...text.matchAll(plain)].filter(
          ([, path = '', filter]) => filter === undefined && !path.includes('.'),
        );
        placeholders += expected.length;
        expect(requiredIn(text)).toEqual([...new Set(expected.map(([, path]) => path))].sort());
      }),
      { numRuns: 3000 },
    );
    expect(placeholders).toBeGreaterThan(0);
  });
});
