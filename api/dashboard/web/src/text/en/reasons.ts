// What the service says about postbacks is in English. The words for a result become sentences.
const results = new Map([
  ['created', 'The conversion is recorded.'],
  ['updated', 'The conversion is changed.'],
  ['unchanged', 'The conversion was recorded like this before.'],
])

export const words = { of: (said: string): string => results.get(said) ?? said }
