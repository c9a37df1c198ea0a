// The service's sentences about postbacks are English already. Only the three words for a result become sentences here.
const results = new Map([
  ['created', 'The conversion is recorded.'],
  ['updated', 'The conversion is changed.'],
  ['unchanged', 'The conversion was recorded like this before.'],
])

export const words = { of: (said: string): string => results.get(said) ?? said }
