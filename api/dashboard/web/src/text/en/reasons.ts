// The service's sentences about postbacks are English already. Here the three words for a result become sentences, and the
// sentence about a wrong click id says what to do.
const results = new Map([
  ['created', 'The conversion is recorded.'],
  ['updated', 'The conversion is changed.'],
  ['unchanged', 'The conversion was recorded like this before.'],
  [
    'the click id that it sends is not a click id of this service',
    'The click id that it sends is not a click id of this service. Check two fields of the network: “Click id parameter”, the parameter of the offer links that carries our click id, and the macro “Click id”, by which the network returns it.',
  ],
])

export const words = { of: (said: string): string => results.get(said) ?? said }
