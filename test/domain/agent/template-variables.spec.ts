import fc from 'fast-check';
import { requiredVariables } from '../../../src/domain/agent/template-variables';
import { edge, node } from './fixtures';

const requiredIn = (prompt: string) => requiredVariables({ nodes: [node('s', 'startCall', { prompt })], edges: [] });

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

describe('reading placeholders', () => {
  test('of a million braces takes no time', () => {
    const hostile = ['{', '{{a|', '{{a ', '{{ ', '{{|', '}{{'].map((piece) => piece.repeat(1_000_000 / piece.length));
    for (const text of [...hostile, `${'{'.repeat(1_000_000)} x}}`]) requiredIn(text);
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
